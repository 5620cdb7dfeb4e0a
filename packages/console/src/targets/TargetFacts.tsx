import { Badge } from "../ui/Badge.tsx"
import { type Fact, Facts, Mono, Muted } from "../ui/layout.tsx"
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

interface TargetFactsProps {
  readonly id: string
  readonly target: Sending
  /** Where it sends. */
  readonly place?: ReadonlyArray<Fact>
  readonly further?: ReadonlyArray<Fact>
  /** What the previous secret does until its end. */
  readonly previous: string
}

/** What is sent where, and how it goes. */
export const TargetFacts = ({ further = [], id, place = [], previous, target }: TargetFactsProps) => {
  const t = useWords(words)
  const { created_at, disabled_reason, kinds, previous_secret_until, rests_until, topics } = target
  return (
    <Facts
      facts={[
        ...place,
        {
          label: t.state,
          value: (
            <>
              <SendingState sending={target} /> {disabled_reason}
            </>
          )
        },
        ...(rests_until === null ? [] : [{ label: t.rests, value: <Time at={rests_until} /> }]),
        { label: t.topics, value: topics.join(", ") || t.allTopics },
        { label: t.kinds, value: kinds.join(", ") || t.allKinds },
        ...further,
        ...(previous_secret_until === null ? [] : [{ label: previous, value: <Time at={previous_secret_until} /> }]),
        { label: t.created, value: <Time at={created_at} as="moment" /> },
        { label: "ID", value: <Mono>{id}</Mono> }
      ]}
    />
  )
}
