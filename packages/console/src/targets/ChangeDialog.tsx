import { useAct } from "../api/useAct.ts"
import { toast } from "../ui/toasts.tsx"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { FormDialog } from "./FormDialog.tsx"
import { TargetFields } from "./TargetFields.tsx"
import type { Inputs, Resource } from "./Resource.ts"
import type { Sending } from "./target.ts"
import { words } from "./words.ts"

interface ChangeDialogProps<In extends Inputs, Target extends Sending> {
  readonly resource: Resource<In, Target>
  readonly target: Target
  readonly onClose: () => void
}

/** Its name, what is sent, and where; secret addresses have a dialog of their own. */
export const ChangeDialog = <In extends Inputs, Target extends Sending>(props: ChangeDialogProps<In, Target>) => {
  const { onClose, resource, target } = props
  const t = useWords(resource.words)
  const shared = useWords(words)
  const before = resource.draftOf(target)
  const { change, draft } = useDraft(before)
  const update = useAct(resource.operations.update, {
    onDone: () => {
      toast(t.changed)
      onClose()
    }
  })
  const input = { ...resource.of(resource.idOf(target)), ...resource.changeOf(draft, before) }
  return (
    <FormDialog title={shared.change} verb={shared.save} act={update} input={input} onClose={onClose}>
      <TargetFields draft={draft} change={change} fields={update.refusal?.fields} isNew={false} />
    </FormDialog>
  )
}
