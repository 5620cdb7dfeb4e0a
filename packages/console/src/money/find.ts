import { portico } from "../api/portico.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import type { Finder } from "../app/definitions.ts"
import { words } from "./words.ts"

/** By id or by month. */
export const find: Finder = async (text, signal) => {
  const wanted = text.toLowerCase()
  const t = words[currentLanguage()]
  const [{ invoices }, { budgets }] = await Promise.all([
    portico.money.invoices({}, { signal }),
    portico.money.budgets({}, { signal })
  ])
  return [
    ...invoices
      .map((_) => ({ id: _.invoice_id, title: `${_.period_start.slice(0, 7)} · ${_.invoice_id}` }))
      .filter(({ title }) => title.includes(wanted))
      .map(({ id, title }) => ({ title, kind: t.invoice, href: `/costs/invoices/${encodeURIComponent(id)}` })),
    ...budgets
      .filter((_) => _.budget_id.includes(wanted))
      .map((_) => ({ title: _.budget_id, kind: t.budget, href: "/costs/budgets" }))
  ]
}
