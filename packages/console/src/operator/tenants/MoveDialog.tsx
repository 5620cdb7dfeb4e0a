import { useState } from "react"
import { useAct } from "../../api/useAct.ts"
import { useAnswer } from "../../api/useAnswer.ts"
import { CopyAs } from "../../app/CopyAs.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog, Foot } from "../../ui/Dialog.tsx"
import { Form } from "../../ui/form.tsx"
import { RefusalBox } from "../../ui/RefusalBox.tsx"
import { toast } from "../../ui/toasts.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useWords } from "../../words/words.ts"
import { moveNumbers } from "../common/capacity.ts"
import { AdmissionTable } from "../common/AdmissionTable.tsx"
import { TierField } from "../common/TierField.tsx"
import { operator } from "../portico.ts"
import { type Project, touched } from "./tenant.tsx"
import { words } from "./words.ts"

export const MoveDialog = ({ project: { name, project_id, suspended, tier } }: { readonly project: Project }) => {
  const t = useWords(words)
  const dialog = useDialog("move")
  const [target, setTarget] = useState(tier)
  const move = useAct(operator.tenants.moveTier, {
    touches: touched,
    onDone: () => {
      toast(t.moved)
      dialog.close()
    }
  })
  const capacity = useAnswer(operator.signups.capacity, {}, { enabled: dialog.open })
  const numbers = capacity.data === undefined ? undefined : moveNumbers(capacity.data, tier, target)
  const input = { project_id, tier: target }
  const close = () => {
    move.reset()
    setTarget(tier)
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.moveTitle(name)} wide>
      <Form onSubmit={() => void move.act(input)}>
        <p>
          {t.moveText} {suspended ? t.endsSuspension : ""}
        </p>
        <TierField value={target} onChange={setTarget} capacity={capacity.data} />
        {numbers === undefined ? null : <AdmissionTable numbers={numbers} />}
        <RefusalBox refusal={move.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: move.operation, input }]} />
          <Button type="submit" kind="primary" busy={move.pending}>
            {t.move}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
