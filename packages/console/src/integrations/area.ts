import { Plug } from "lucide-react"
import type { Area } from "../app/definitions.ts"
import type { Me } from "../app/me.ts"

const hasProject = (me: Me): boolean => me.tenant !== null

export const integrations: Area = {
  title: { en: "Integrations", de: "Integrationen" },
  icon: Plug,
  pages: [
    {
      path: "/integrations",
      title: { en: "Integrations", de: "Integrationen" },
      load: () => import("./IntegrationsPage.tsx"),
      when: hasProject,
      keywords: "slack mail e-mail notifications benachrichtigungen"
    },
    {
      path: "/integrations/:integration_id",
      title: { en: "Integration", de: "Integration" },
      load: () => import("./IntegrationPage.tsx"),
      when: hasProject
    }
  ],
  acts: [
    {
      title: { en: "Create an integration", de: "Integration anlegen" },
      href: "/integrations?dialog=create",
      when: (me) => hasProject(me) && me.tier >= 1
    }
  ],
  finder: () => import("./find.ts")
}
