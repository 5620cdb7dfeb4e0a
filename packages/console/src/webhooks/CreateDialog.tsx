import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { CheckField, Form, TextField } from "../ui/form.tsx"
import { Muted } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { given } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { sentTopics, type SentTopic } from "./topics.ts"
import { words } from "./words.ts"

interface Draft {
  readonly url: string
  readonly description: string
  readonly topics: ReadonlyArray<SentTopic>
}

const empty: Draft = { url: "", description: "", topics: [] }

export const CreateDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("create")
  const { draft, reset, set } = useDraft(empty)
  const create = useAct(portico.webhooks.create)
  const input = { url: draft.url, description: given(draft.description), topics: draft.topics }
  const fields = create.refusal?.fields ?? {}
  const close = () => {
    create.reset()
    reset()
    dialog.close()
  }
  if (create.answer !== undefined) {
    const { secret, url } = create.answer
    return <SecretOnce title={t.secretOf(url)} secrets={[{ label: t.secret, value: secret }]} onClose={close} />
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.create}>
      <Form onSubmit={() => void create.act(input)}>
        <TextField
          label={t.url}
          help={t.urlHelp}
          type="url"
          value={draft.url}
          onChange={set("url")}
          error={fields["url"]}
        />
        <TextField
          label={t.description}
          value={draft.description}
          onChange={set("description")}
          error={fields["description"]}
          optional
        />
        <strong>{t.topics}</strong>
        <Muted small>{t.topicsHelp}</Muted>
        {sentTopics.map((topic) => (
          <CheckField
            key={topic}
            label={topic}
            checked={draft.topics.includes(topic)}
            onChange={(on) => set("topics")(on ? [...draft.topics, topic] : draft.topics.filter((_) => _ !== topic))}
          />
        ))}
        <RefusalBox refusal={create.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: create.operation, input }]} />
          <Button type="submit" kind="primary" busy={create.pending}>
            {t.create}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
