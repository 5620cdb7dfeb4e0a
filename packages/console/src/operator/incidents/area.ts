import { Megaphone } from "lucide-react"
import type { Area } from "../../app/definitions.ts"

const title = { en: "Incidents", de: "Störungen" }

export const incidents: Area = {
  title,
  icon: Megaphone,
  pages: [
    { path: "/incidents", title, load: () => import("./IncidentsPage.tsx"), keywords: "maintenance status notice" }
  ],
  acts: [
    {
      title: { en: "Publish an incident or maintenance", de: "Störung oder Wartung veröffentlichen" },
      href: "/incidents?dialog=publish"
    }
  ]
}
