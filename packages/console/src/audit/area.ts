import { ScrollText } from "lucide-react"
import type { Area } from "../app/definitions.ts"

export const audit: Area = {
  title: { en: "Audit trail", de: "Audit" },
  icon: ScrollText,
  pages: [
    {
      path: "/audit",
      title: { en: "Audit trail", de: "Audit" },
      load: () => import("./AuditPage.tsx"),
      keywords: "log history protokoll export who wer"
    }
  ]
}
