import { Gauge } from "lucide-react"
import type { Area } from "../../app/definitions.ts"

const title = { en: "Capacity", de: "Kapazität" }

export const capacity: Area = {
  title,
  icon: Gauge,
  pages: [
    {
      path: "/capacity",
      title,
      load: () => import("./CapacityPage.tsx"),
      keywords: "budget forecast hypervisor sellable"
    },
    {
      path: "/capacity/fleet",
      title: { en: "Fleet", de: "Flotte" },
      load: () => import("./FleetPage.tsx"),
      keywords: "nodes use"
    }
  ]
}
