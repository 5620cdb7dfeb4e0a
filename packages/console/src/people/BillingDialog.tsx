import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Person } from "./person.ts"
import { words } from "./words.ts"

/** Gives access to costs, or takes it back. */
export const BillingDialog = ({ people }: { readonly people: ReadonlyArray<Person> }) => {
  const t = useWords(words)
  const dialog = useDialog("billing")
  const person = people.find((_) => _.user_id === dialog.of)
  const billing = useAct(portico.orgUsers.setBilling, {
    onDone: () => {
      toast(t.costsChanged)
      dialog.close()
    },
    touches: ["money"]
  })
  if (person === undefined) return null
  const { billing_access, display_name, user_id } = person
  const input = { user_id, billing_access: !billing_access }
  const verb = billing_access ? t.hideCosts : t.showCosts
  const close = () => {
    billing.reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={`${verb}: ${display_name}`}>
      <Form onSubmit={() => void billing.act(input)}>
        <p>{billing_access ? t.hideCostsText(display_name) : t.showCostsText(display_name)}</p>
        <RefusalBox refusal={billing.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: billing.operation, input }]} />
          <Button type="submit" kind="primary" busy={billing.pending}>
            {verb}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
