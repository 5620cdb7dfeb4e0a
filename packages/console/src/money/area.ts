import { Euro } from "lucide-react"
import type { Area } from "../app/definitions.ts"
import { hasProject } from "../app/me.ts"

export const money: Area = {
  title: { en: "Costs", de: "Kosten" },
  icon: Euro,
  pages: [
    {
      path: "/costs",
      title: { en: "Costs", de: "Kosten" },
      load: () => import("./CostsPage.tsx"),
      when: hasProject,
      keywords: "billing spend forecast money"
    },
    {
      path: "/costs/budgets",
      title: { en: "Budgets", de: "Budgets" },
      load: () => import("./BudgetsPage.tsx"),
      when: hasProject,
      keywords: "limit breach money"
    },
    {
      path: "/costs/invoices",
      title: { en: "Invoices", de: "Rechnungen" },
      load: () => import("./InvoicesPage.tsx"),
      when: hasProject,
      keywords: "bill money"
    },
    {
      path: "/costs/invoices/:invoice_id",
      title: { en: "Invoice", de: "Rechnung" },
      load: () => import("./InvoicePage.tsx"),
      when: hasProject
    }
  ],
  acts: [
    {
      title: { en: "Create a budget", de: "Budget anlegen" },
      href: "/costs/budgets?dialog=create",
      when: (me) => hasProject(me) && me.tier >= 1
    }
  ],
  finder: () => import("./invoice.tsx")
}
