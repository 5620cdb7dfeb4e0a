import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { subscribed } from "../deliveries/subscription.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { draftOf, type Webhook } from "./webhook.ts"
import { WebhookFields } from "./WebhookFields.tsx"
import { words } from "./words.ts"

/** The description is sent when it was changed: the gateway knows no empty one. */
const descriptionOf = (typed: string, webhook: Webhook) => (typed === (webhook.description ?? "") ? undefined : typed)

export const ChangeDialog = ({ onClose, webhook }: { readonly webhook: Webhook; readonly onClose: () => void }) => {
  const t = useWords(words)
  const { change, draft } = useDraft(draftOf(webhook))
  const update = useAct(portico.webhooks.update, {
    onDone: () => {
      toast(t.changed)
      onClose()
    }
  })
  const input = {
    webhook_id: webhook.webhook_id,
    url: draft.url,
    description: descriptionOf(draft.description, webhook),
    ...subscribed(draft)
  }
  return (
    <Dialog open onClose={onClose} title={t.change}>
      <Form onSubmit={() => void update.act(input)}>
        <WebhookFields draft={draft} change={change} fields={update.refusal?.fields ?? {}} />
        <RefusalBox refusal={update.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: update.operation, input }]} />
          <Button type="submit" kind="primary" busy={update.pending}>
            {t.save}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
