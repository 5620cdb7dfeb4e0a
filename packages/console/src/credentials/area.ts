import { KeyRound } from "lucide-react"
import type { Area } from "../app/definitions.ts"

export const credentials: Area = {
  title: { en: "Credentials", de: "Zugangsdaten" },
  icon: KeyRound,
  pages: [
    {
      path: "/credentials",
      title: { en: "Credentials", de: "Zugangsdaten" },
      load: () => import("./CredentialsPage.tsx"),
      keywords: "api key token pat secret"
    }
  ],
  acts: [{ title: { en: "Mint a credential", de: "Zugangsdaten ausstellen" }, href: "/credentials?dialog=mint" }],
  finder: () => import("./find.ts")
}
