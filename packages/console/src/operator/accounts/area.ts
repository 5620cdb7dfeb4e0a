import { Landmark } from "lucide-react"
import type { Area } from "../../app/definitions.ts"

const title = { en: "Accounts", de: "Konten" }

export const accounts: Area = {
  title,
  icon: Landmark,
  pages: [
    { path: "/accounts", title, load: () => import("./AccountsPage.tsx"), keywords: "closing reopen finalize destroy" },
    {
      path: "/accounts/deletions",
      title: { en: "Deletions", de: "Löschungen" },
      load: () => import("./DeletionsPage.tsx"),
      keywords: "purge cancel project"
    }
  ],
  acts: [{ title: { en: "Closing accounts", de: "Konten in der Frist" }, href: "/accounts?state=closing" }],
  finder: () => import("./account.ts")
}
