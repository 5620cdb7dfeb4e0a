import { LayoutDashboard } from "lucide-react"
import type { Area } from "../app/definitions.ts"

export const overview: Area = {
  title: { en: "Overview", de: "Übersicht" },
  icon: LayoutDashboard,
  pages: [
    {
      path: "/",
      title: { en: "Overview", de: "Übersicht" },
      load: () => import("./OverviewPage.tsx"),
      keywords: "home start quotas limits status"
    }
  ]
}
