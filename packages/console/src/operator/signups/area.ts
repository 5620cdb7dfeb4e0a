import { UserRoundPlus } from "lucide-react"
import type { Area } from "../../app/definitions.ts"

const title = { en: "Signups", de: "Anmeldungen" }

export const signups: Area = {
  title,
  icon: UserRoundPlus,
  pages: [
    { path: "/signups", title, load: () => import("./SignupsPage.tsx"), keywords: "approve customer request budget" },
    { path: "/signups/:signup_id", title, load: () => import("./SignupPage.tsx") }
  ],
  acts: [{ title: { en: "Signups that wait", de: "Wartende Anmeldungen" }, href: "/signups?state=pending" }],
  finder: () => import("./signup.ts")
}
