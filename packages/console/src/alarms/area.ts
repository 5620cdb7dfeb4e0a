import { BellRing } from "lucide-react"
import type { Area } from "../app/definitions.ts"

const title = { en: "Alarms", de: "Alarme" }

export const alarms: Area = {
  title,
  icon: BellRing,
  pages: [
    { path: "/alarms", title, load: () => import("./AlarmsPage.tsx"), keywords: "threshold metric monitoring" },
    { path: "/alarms/:alarm_id", title, load: () => import("./AlarmPage.tsx") }
  ],
  acts: [{ title: { en: "Create an alarm", de: "Alarm anlegen" }, href: "/alarms?dialog=create" }],
  finder: () => import("./alarm.ts")
}
