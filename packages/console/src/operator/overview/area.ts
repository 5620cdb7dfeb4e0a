import { LayoutDashboard } from "lucide-react"
import type { Area } from "../../app/definitions.ts"

const title = { en: "Overview", de: "Übersicht" }

export const overview: Area = {
  title,
  icon: LayoutDashboard,
  pages: [{ path: "/", title, load: () => import("./OverviewPage.tsx"), keywords: "start home platform" }]
}
