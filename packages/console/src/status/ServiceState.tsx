import type { portico } from "../api/portico.ts"
import { Badge } from "../ui/Badge.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export type StatusDocument = Awaited<ReturnType<typeof portico.status.show>>

const tones = { ok: "good", degraded: "warn", down: "bad" } as const

export const ServiceState = ({ status }: { readonly status: StatusDocument["overall"] }) => {
  const t = useWords(words)
  return <Badge tone={tones[status]}>{t[status]}</Badge>
}
