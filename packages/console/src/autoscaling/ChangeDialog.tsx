import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { Form } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { changeOf, draftOf, type Group } from "./group.ts"
import { NumberFields } from "./GroupFields.tsx"
import { words } from "./words.ts"

export const ChangeDialog = ({ group, onClose }: { readonly group: Group; readonly onClose: () => void }) => {
  const t = useWords(words)
  const { draft, set } = useDraft(draftOf(group))
  const update = useAct(portico.autoscaling.update, {
    onDone: () => {
      toast(t.changed)
      onClose()
    }
  })
  const input = changeOf(group.group_id, draft)
  return (
    <Dialog open onClose={onClose} title={`${t.change}: ${group.name}`}>
      <Form onSubmit={() => void update.act(input)}>
        <p>{t.fewer}</p>
        <NumberFields draft={draft} set={set} fields={update.refusal?.fields ?? {}} />
        <RefusalBox refusal={update.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: update.operation, input }]} />
          <Button type="submit" kind="primary" busy={update.pending}>
            {t.change}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}
