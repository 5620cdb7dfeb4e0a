import { Braces } from "lucide-react"
import type { Area } from "../app/definitions.ts"

export const operations: Area = {
  title: { en: "All operations", de: "Alle Operationen" },
  icon: Braces,
  pages: [
    {
      path: "/operations",
      title: { en: "All operations", de: "Alle Operationen" },
      load: () => import("./OperationsPage.tsx"),
      keywords: "api reference explorer request curl openapi"
    },
    {
      path: "/operations/:operation_id",
      title: { en: "Operation", de: "Operation" },
      load: () => import("./OperationPage.tsx")
    }
  ],
  finder: () => import("./catalogue.tsx")
}
