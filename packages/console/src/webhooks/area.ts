import { Webhook } from "lucide-react"
import type { Area } from "../app/definitions.ts"
import type { Me } from "../app/me.ts"

const hasProject = (me: Me): boolean => me.tenant !== null

export const webhooks: Area = {
  title: { en: "Webhooks", de: "Webhooks" },
  icon: Webhook,
  pages: [
    {
      path: "/webhooks",
      title: { en: "Webhooks", de: "Webhooks" },
      load: () => import("./WebhooksPage.tsx"),
      when: hasProject,
      keywords: "deliveries zustellungen"
    },
    {
      path: "/webhooks/:webhook_id",
      title: { en: "Webhook", de: "Webhook" },
      load: () => import("./WebhookPage.tsx"),
      when: hasProject
    }
  ],
  acts: [
    {
      title: { en: "Create a webhook", de: "Webhook anlegen" },
      href: "/webhooks?dialog=create",
      when: (me) => hasProject(me) && me.tier >= 1
    }
  ],
  finder: () => import("./find.ts")
}
