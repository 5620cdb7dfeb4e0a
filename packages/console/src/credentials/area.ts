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
    },
    {
      path: "/credentials/tree",
      title: { en: "Who made what", de: "Wer was ausgestellt hat" },
      load: () => import("./TreePage.tsx"),
      keywords: "tree maker baum aussteller"
    },
    {
      path: "/credentials/:credential_id",
      title: { en: "Credential", de: "Zugangsdaten" },
      load: () => import("./CredentialPage.tsx")
    }
  ],
  acts: [{ title: { en: "Mint a credential", de: "Zugangsdaten ausstellen" }, href: "/credentials?dialog=mint" }],
  finder: () => import("./credential.tsx")
}
