import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { subscribed } from "../deliveries/subscription.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { given } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { noWebhook } from "./webhook.ts"
import { WebhookFields } from "./WebhookFields.tsx"
import { words } from "./words.ts"

export const CreateDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("create")
  const { change, draft, reset } = useDraft(noWebhook)
  const create = useAct(portico.webhooks.create)
  const input = { url: draft.url, description: given(draft.description), ...subscribed(draft) }
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
        <WebhookFields draft={draft} change={change} fields={create.refusal?.fields ?? {}} />
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
