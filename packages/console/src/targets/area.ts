import { type LucideIcon, Plug, Webhook } from "lucide-react"
import type { ComponentType } from "react"
import type { Area } from "../app/definitions.ts"
import { hasProject } from "../app/me.ts"
import type { Bilingual } from "../words/words.ts"

interface AreaOptions {
  readonly resource: "webhook" | "integration"
  readonly icon: LucideIcon
  readonly title: Bilingual
  /** The title of one. */
  readonly one: Bilingual
  readonly create: Bilingual
  readonly keywords: string
  readonly load: () => Promise<{ readonly ListPage: ComponentType; readonly ShowPage: ComponentType }>
}

const areaOf = ({ create, icon, keywords, load, one, resource, title }: AreaOptions): Area => ({
  title,
  icon,
  pages: [
    {
      path: `/${resource}s`,
      title,
      load: () => load().then((_) => ({ default: _.ListPage })),
      when: hasProject,
      keywords
    },
    {
      path: `/${resource}s/:id`,
      title: one,
      load: () => load().then((_) => ({ default: _.ShowPage })),
      when: hasProject
    }
  ],
  acts: [{ title: create, href: `/${resource}s?dialog=create`, when: (me) => hasProject(me) && me.tier >= 1 }],
  finder: () => import("./find.ts").then((_) => ({ find: _.finders[resource] }))
})

export const webhooks = areaOf({
  resource: "webhook",
  icon: Webhook,
  title: { en: "Webhooks", de: "Webhooks" },
  one: { en: "Webhook", de: "Webhook" },
  create: { en: "Create a webhook", de: "Webhook anlegen" },
  keywords: "deliveries zustellungen",
  load: () => import("./webhooks.tsx")
})

export const integrations = areaOf({
  resource: "integration",
  icon: Plug,
  title: { en: "Integrations", de: "Integrationen" },
  one: { en: "Integration", de: "Integration" },
  create: { en: "Create an integration", de: "Integration anlegen" },
  keywords: "slack mail e-mail notifications benachrichtigungen",
  load: () => import("./integrations.tsx")
})
