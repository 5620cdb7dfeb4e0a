import { portico } from "../api/portico.ts"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage, usePreferences } from "../preferences/preferences.ts"
import { Badge } from "../ui/Badge.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export type Invoice = Awaited<ReturnType<typeof portico.money.invoices>>["invoices"][number]

const tones = { draft: "neutral", finalized: "warn", paid: "good", void: "neutral" } as const

export const InvoiceState = ({ status }: Pick<Invoice, "status">) => {
  const t = useWords(words)
  return <Badge tone={tones[status]}>{t[status]}</Badge>
}

/** `January 2026` of a moment or a month such as `2026-01`, which is one of UTC. */
export const useMonth = (): ((text: string) => string) => {
  const { language } = usePreferences()
  const written = new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" })
  return (text) => written.format(new Date(`${text.slice(0, 7)}-01T00:00:00Z`))
}

/** The name of what a quantity counts. Units that are not known here stand as the billing service has them. */
export const useUnit = (): ((unit: string) => string) => {
  const t = useWords(words)
  const known: Readonly<Record<string, string>> = { second: t.seconds, "GiB-second": t.gibSeconds }
  return (unit) => known[unit] ?? unit
}

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
