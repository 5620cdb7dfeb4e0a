import { Activity } from "lucide-react"
import type { Area } from "../app/definitions.ts"

export const status: Area = {
  title: { en: "Service status", de: "Dienststatus" },
  icon: Activity,
  pages: [
    {
      path: "/status",
      title: { en: "Service status", de: "Dienststatus" },
      load: () => import("./StatusPage.tsx"),
      keywords: "incident maintenance outage health"
    }
  ]
}
