import { Signpost } from "lucide-react"
import type { Area } from "../app/definitions.ts"

export const dns: Area = {
  title: { en: "DNS", de: "DNS" },
  icon: Signpost,
  pages: [
    {
      path: "/dns/zones",
      title: { en: "DNS zones", de: "DNS-Zonen" },
      load: () => import("./ZonesPage.tsx"),
      keywords: "domain records name server"
    },
    {
      path: "/dns/zones/:zone_id",
      title: { en: "DNS zone", de: "DNS-Zone" },
      load: () => import("./ZonePage.tsx")
    }
  ],
  acts: [
    {
      title: { en: "Create a DNS zone", de: "DNS-Zone anlegen" },
      href: "/dns/zones?dialog=create-zone",
      when: ({ tier }) => tier >= 1
    }
  ],
  finder: () => import("./find.ts")
}
