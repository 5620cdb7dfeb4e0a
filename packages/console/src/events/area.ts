import { Activity } from "lucide-react"
import type { Area } from "../app/definitions.ts"

export const events: Area = {
  title: { en: "Events", de: "Ereignisse" },
  icon: Activity,
  pages: [
    {
      path: "/events",
      title: { en: "Events", de: "Ereignisse" },
      load: () => import("./EventsPage.tsx"),
      keywords: "tail stream live log"
    }
  ]
}
