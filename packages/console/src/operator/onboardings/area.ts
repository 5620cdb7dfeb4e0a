import { ListChecks } from "lucide-react"
import type { Area } from "../../app/definitions.ts"

const title = { en: "Onboardings", de: "Einrichtungen" }

export const onboardings: Area = {
  title,
  icon: ListChecks,
  pages: [
    {
      path: "/onboardings",
      title,
      load: () => import("./OnboardingsPage.tsx"),
      keywords: "journal stuck rollback retry"
    }
  ],
  acts: [{ title: { en: "Stuck onboardings", de: "Hängende Einrichtungen" }, href: "/onboardings?state=stuck" }],
  finder: () => import("./find.ts")
}
