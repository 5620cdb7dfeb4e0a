import { useState } from "react"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { centsOf } from "./amounts.ts"
import { words } from "./words.ts"

export const BudgetDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("create")
  const [amount, setAmount] = useState("")
  const create = useAct(portico.money.createBudget, {
    onDone: () => {
      toast(t.created)
      setAmount("")
      dialog.close()
    }
  })
  const cents = centsOf(amount)
  const input = { amount_cents: cents ?? 0 }
  const wrong = amount !== "" && cents === undefined ? t.amountWrong : undefined
  const close = () => {
    create.reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.create}>
      <Form onSubmit={() => void (cents === undefined || create.act(input))}>
        <TextField
          label={t.amount}
          help={t.createHelp}
          inputMode="decimal"
          value={amount}
          onChange={setAmount}
          error={wrong ?? create.refusal?.fields["amount_cents"]}
        />
        <RefusalBox refusal={create.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: create.operation, input }]} />
          <Button type="submit" kind="primary" disabled={cents === undefined} busy={create.pending}>
            {t.create}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
