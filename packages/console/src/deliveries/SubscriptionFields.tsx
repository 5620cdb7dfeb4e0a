import { errorUnder } from "../api/refusal.ts"
import { CheckField, CheckGroup, TextField } from "../ui/form.tsx"
import { useWords } from "../words/words.ts"
import { sentTopics } from "./topics.ts"
import type { Subscription } from "./subscription.ts"
import { words } from "./words.ts"

interface SubscriptionFieldsProps {
  readonly value: Subscription
  readonly onChange: (change: Partial<Subscription>) => void
  readonly fields: Readonly<Record<string, string>>
}

/** Which events are sent. */
export const SubscriptionFields = ({ fields, onChange, value: { kinds, topics } }: SubscriptionFieldsProps) => {
  const t = useWords(words)
  return (
    <>
      <CheckGroup legend={t.topics} help={t.topicsHelp} error={errorUnder(fields, "topics")}>
        {sentTopics.map((topic) => (
          <CheckField
            key={topic}
            label={topic}
            checked={topics.includes(topic)}
            onChange={(on) => onChange({ topics: on ? [...topics, topic] : topics.filter((_) => _ !== topic) })}
          />
        ))}
      </CheckGroup>
      <TextField
        label={t.kinds}
        help={t.kindsHelp}
        value={kinds}
        onChange={(kinds) => onChange({ kinds })}
        error={errorUnder(fields, "kinds")}
        optional
      />
    </>
  )
}
