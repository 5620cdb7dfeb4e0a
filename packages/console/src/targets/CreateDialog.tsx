import { useAct } from "../api/useAct.ts"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { FormDialog } from "./FormDialog.tsx"
import { TargetFields } from "./TargetFields.tsx"
import type { Inputs, Resource } from "./Resource.ts"
import type { Sending } from "./target.ts"
import { words } from "./words.ts"

interface CreateDialogProps<In extends Inputs, Target extends Sending> {
  readonly resource: Resource<In, Target>
  readonly onCreated?: ((target: Target) => void) | undefined
}

export const CreateDialog = <In extends Inputs, Target extends Sending>(props: CreateDialogProps<In, Target>) => {
  const { onCreated, resource } = props
  const t = useWords(resource.words)
  const shared = useWords(words)
  const dialog = useDialog("create")
  const { change, draft, reset } = useDraft(resource.blank)
  const create = useAct(resource.operations.create, { onDone: onCreated })
  const close = () => {
    create.reset()
    dialog.close()
  }
  const { answer } = create
  if (answer?.secret !== undefined) {
    const saved = () => {
      reset()
      close()
    }
    const secrets = [{ label: shared.secret, value: answer.secret }]
    return <SecretOnce title={shared.secretOf(resource.nameOf(answer))} secrets={secrets} onClose={saved} />
  }
  const input = resource.creationOf(draft)
  return (
    <FormDialog title={t.create} verb={t.create} act={create} input={input} open={dialog.open} onClose={close}>
      <TargetFields draft={draft} change={change} fields={create.refusal?.fields} isNew />
    </FormDialog>
  )
}
