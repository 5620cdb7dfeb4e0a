import { useLocation } from "wouter"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Inputs, Resource } from "./Resource.ts"
import type { Sending } from "./target.ts"
import { words } from "./words.ts"

interface RemoveDialogProps<In extends Inputs, Target extends Sending> {
  readonly resource: Resource<In, Target>
  readonly target: Target
}

export const RemoveDialog = <In extends Inputs, Target extends Sending>(props: RemoveDialogProps<In, Target>) => {
  const { resource, target } = props
  const t = useWords(resource.words)
  const { remove: verb } = useWords(words)
  const [, go] = useLocation()
  const dialog = useDialog("remove")
  const name = resource.nameOf(target)
  const input = resource.of(resource.idOf(target))
  const remove = useAct(resource.operations.remove, {
    onDone: () => {
      toast(t.removed)
      go(resource.path, { replace: true })
    }
  })
  return (
    <ConfirmDialog
      open={dialog.open}
      title={`${verb}: ${name}`}
      name={name}
      verb={verb}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      {t.removeText}
    </ConfirmDialog>
  )
}
