import { Layers2 } from "lucide-react"
import type { Area } from "../app/definitions.ts"

const title = { en: "Autoscaling", de: "Autoscaling" }

export const autoscaling: Area = {
  title,
  icon: Layers2,
  pages: [
    { path: "/autoscaling", title, load: () => import("./GroupsPage.tsx"), keywords: "group servers policy scale" },
    { path: "/autoscaling/:group_id", title, load: () => import("./GroupPage.tsx") }
  ],
  acts: [
    {
      title: { en: "Create an autoscaling group", de: "Autoscaling-Gruppe anlegen" },
      href: "/autoscaling?dialog=create"
    }
  ],
  finder: () => import("./group.ts")
}
