import type { portico } from "../api/portico.ts"
import { Badge } from "../ui/Badge.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export type Invoice = Awaited<ReturnType<typeof portico.money.invoices>>["invoices"][number]

const tones = { draft: "neutral", finalized: "warn", paid: "good", void: "neutral" } as const

export const InvoiceState = ({ status }: Pick<Invoice, "status">) => {
  const t = useWords(words)
  return <Badge tone={tones[status]}>{t[status]}</Badge>
}
