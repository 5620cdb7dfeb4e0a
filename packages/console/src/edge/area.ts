import { Globe } from "lucide-react"
import type { Area } from "../app/definitions.ts"

export const edge: Area = {
  title: { en: "Edge", de: "Edge" },
  icon: Globe,
  pages: [
    {
      path: "/edge/exposures",
      title: { en: "Exposures", de: "Veröffentlichungen" },
      load: () => import("./ExposuresPage.tsx"),
      keywords: "edge domain https host name internet"
    },
    {
      path: "/edge/exposures/:exposure_id",
      title: { en: "Exposure", de: "Veröffentlichung" },
      load: () => import("./ExposurePage.tsx")
    }
  ],
  acts: [
    {
      title: { en: "Create an exposure", de: "Veröffentlichung anlegen" },
      href: "/edge/exposures?dialog=create-exposure",
      when: ({ tier }) => tier >= 1
    }
  ],
  finder: () => import("./exposure.ts")
}
