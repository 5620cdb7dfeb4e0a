import { Mono, Muted } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import type { Delivery } from "./target.ts"
import { words } from "./words.ts"

/** Every attempt with its answer. */
export const Attempts = ({ delivery: { attempts, error } }: { readonly delivery: Delivery }) => {
  const t = useWords(words)
  if (attempts.length === 0) return <Muted small>{error ?? t.noAttempts}</Muted>
  return attempts.map((_) => (
    <div key={_.at}>
      {_.error ?? <Mono>{_.status ?? t.noAnswer}</Mono>} <Muted small>{`${_.duration_ms} ms`}</Muted>
    </div>
  ))
}
