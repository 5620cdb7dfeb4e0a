import { errorUnder } from "../api/refusal.ts"
import { CheckField, CheckGroup, ChoiceField, TextArea, TextField } from "../ui/form.tsx"
import { useWords } from "../words/words.ts"
import { type Draft, sentTopics } from "./draft.ts"
import { words } from "./fieldWords.ts"
import { HeaderFields } from "./HeaderFields.tsx"
import { words as sharedWords } from "./words.ts"

interface FieldsProps {
  readonly draft: Draft
  readonly change: (change: Partial<Draft>) => void
  readonly fields: Readonly<Record<string, string>> | undefined
}

const kinds = ["email", "slack", "generic"] as const

/** Where events go: the fields of each kind. */
const PlaceFields = ({ change, draft: { headers, kind, to, url }, fields = {} }: FieldsProps) => {
  const t = useWords(words)
  if (kind === "email")
    return (
      <TextArea
        label={t.to}
        help={t.toHelp}
        value={to}
        onChange={(to) => change({ to })}
        error={errorUnder(fields, "to")}
      />
    )
  const help = { webhook: t.urlHelp, slack: t.urlHelpSlack, generic: t.urlHelpGeneric }[kind]
  return (
    <>
      <TextField
        label={t.url}
        help={help}
        type="url"
        value={url}
        onChange={(url) => change({ url })}
        error={fields["url"]}
      />
      {kind === "generic" ? (
        <HeaderFields
          headers={headers}
          help={t.headersHelp}
          onChange={(headers) => change({ headers })}
          fields={fields}
        />
      ) : null}
    </>
  )
}

/** Which events are sent. */
const SubscriptionFields = ({ change, draft: { kinds, topics }, fields = {} }: FieldsProps) => {
  const t = useWords(sharedWords)
  return (
    <>
      <CheckGroup legend={t.topics} help={t.topicsHelp} error={errorUnder(fields, "topics")}>
        {sentTopics.map((topic) => (
          <CheckField
            key={topic}
            label={topic}
            checked={topics.includes(topic)}
            onChange={(on) => change({ topics: on ? [...topics, topic] : topics.filter((_) => _ !== topic) })}
          />
        ))}
      </CheckGroup>
      <TextField
        label={t.kinds}
        help={t.kindsHelp}
        value={kinds}
        onChange={(kinds) => change({ kinds })}
        error={errorUnder(fields, "kinds")}
        optional
      />
    </>
  )
}

interface TargetFieldsProps extends FieldsProps {
  /** An existing integration keeps its kind, and its secret address has a dialog of its own. */
  readonly isNew: boolean
}

export const TargetFields = ({ isNew, ...props }: TargetFieldsProps) => {
  const { change, draft, fields = {} } = props
  const { kind, name } = draft
  const t = useWords(words)
  const shared = useWords(sharedWords)
  if (kind === "webhook")
    return (
      <>
        <PlaceFields {...props} />
        <TextField
          label={t.description}
          value={name}
          onChange={(name) => change({ name })}
          error={fields["description"]}
          optional
        />
        <SubscriptionFields {...props} />
      </>
    )
  return (
    <>
      {isNew ? (
        <ChoiceField
          legend={shared.kind}
          value={kind}
          onChange={(kind) => change({ kind })}
          choices={kinds.map((value) => ({ value, label: t[value], help: t[`${value}Help`] }))}
        />
      ) : null}
      <TextField label={t.name} value={name} onChange={(name) => change({ name })} error={fields["name"]} />
      {isNew || kind === "email" ? <PlaceFields {...props} /> : null}
      <SubscriptionFields {...props} />
    </>
  )
}
