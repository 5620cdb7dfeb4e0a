import { Badge } from "../ui/Badge.tsx"
import { Muted } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import type { Sending } from "./target.ts"
import { words } from "./words.ts"

/** Whether events are sent, and how many were not delivered of late. */
export const SendingState = ({ sending }: { readonly sending: Sending }) => {
  const t = useWords(words)
  const { enabled, failures_in_a_row } = sending
  return (
    <>
      <Badge tone={enabled ? "good" : "warn"}>{enabled ? t.on : t.off}</Badge>{" "}
      {failures_in_a_row === 0 ? null : <Muted small>{t.failing(failures_in_a_row)}</Muted>}
    </>
  )
}
