import type { portico } from "../api/portico.ts"
import { usePreferences } from "../preferences/preferences.ts"
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
