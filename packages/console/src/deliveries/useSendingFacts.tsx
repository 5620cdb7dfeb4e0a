import { Badge } from "../ui/Badge.tsx"
import { type Fact, Muted } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
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

/** What is sent, and how it goes. */
export const useSendingFacts = () => {
  const t = useWords(words)
  return (sending: Sending): ReadonlyArray<Fact> => {
    const { disabled_reason, kinds, rests_until, topics } = sending
    return [
      {
        label: t.state,
        value: (
          <>
            <SendingState sending={sending} /> {disabled_reason}
          </>
        )
      },
      ...(rests_until === null ? [] : [{ label: t.rests, value: <Time at={rests_until} /> }]),
      { label: t.topics, value: topics.join(", ") || t.allTopics },
      { label: t.kinds, value: kinds.join(", ") || t.allKinds }
    ]
  }
}
