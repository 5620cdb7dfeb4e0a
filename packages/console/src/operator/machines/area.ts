import { KeySquare } from "lucide-react"
import type { Area } from "../../app/definitions.ts"

const title = { en: "Unused keys", de: "Unbenutzte Schlüssel" }

export const machines: Area = {
  title,
  icon: KeySquare,
  pages: [
    {
      path: "/unused-keys",
      title,
      load: () => import("./UnusedPage.tsx"),
      keywords: "agents credentials revoke 90 days"
    }
  ]
}
