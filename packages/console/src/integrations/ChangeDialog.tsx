import { portico } from "../api/portico.ts"
import { errorUnder } from "../api/refusal.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { subscribed, subscriptionOf, wordsIn } from "../deliveries/subscription.ts"
import { SubscriptionFields } from "../deliveries/SubscriptionFields.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, TextArea, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import type { Integration } from "./integration.ts"
import { words } from "./words.ts"

const draftOf = (integration: Integration) => ({
  name: integration.name,
  to: (integration.recipients ?? []).map((_) => _.address).join("\n"),
  ...subscriptionOf(integration)
})

interface ChangeDialogProps {
  readonly integration: Integration
  readonly onClose: () => void
}

/** The name, what is sent, and to whom mail goes. Addresses that are secret have a dialog of their own. */
export const ChangeDialog = ({ integration, onClose }: ChangeDialogProps) => {
  const t = useWords(words)
  const initial = draftOf(integration)
  const { change, draft, set } = useDraft(initial)
  const update = useAct(portico.integrations.update, {
    onDone: () => {
      toast(t.changed)
      onClose()
    }
  })
  const fields = update.refusal?.fields ?? {}
  const { integration_id } = integration
  const isMoved = wordsIn(draft.to).join() !== wordsIn(initial.to).join()
  const input = {
    integration_id,
    name: draft.name,
    // Every unconfirmed address that is named gets a mail: nobody does who is not changed.
    to: isMoved ? wordsIn(draft.to) : undefined,
    ...subscribed(draft)
  }
  return (
    <Dialog open onClose={onClose} title={t.change}>
      <Form onSubmit={() => void update.act(input)}>
        <TextField label={t.name} value={draft.name} onChange={set("name")} error={fields["name"]} />
        {integration.kind === "email" ? (
          <TextArea
            label={t.to}
            help={t.toHelp}
            value={draft.to}
            onChange={set("to")}
            error={errorUnder(fields, "to")}
          />
        ) : null}
        <SubscriptionFields value={draft} onChange={change} fields={fields} />
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
