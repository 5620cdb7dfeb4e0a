import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useProject } from "../app/useProject.ts"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export const RemoveUnitDialog = () => {
  const t = useWords(words)
  const { project_id } = useProject()
  const dialog = useDialog("remove-unit")
  const remove = useAct(portico.policy.removeUnit, {
    onDone: () => {
      toast(t.unitRemoved)
      dialog.close()
    }
  })
  const input = { path: dialog.of, project_id }
  return (
    <ConfirmDialog
      open={dialog.open}
      title={t.removeUnitTitle(dialog.of)}
      verb={t.removeUnit}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      {t.removeUnitText}
    </ConfirmDialog>
  )
}

export const RemovePolicyDialog = () => {
  const t = useWords(words)
  const { project_id } = useProject()
  const dialog = useDialog("remove-policy")
  const remove = useAct(portico.policy.removePolicy, {
    onDone: () => {
      toast(t.policyRemoved)
      dialog.close()
    }
  })
  const input = { ou: dialog.of, project_id }
  return (
    <ConfirmDialog
      open={dialog.open}
      title={t.removePolicyTitle(dialog.of === "" ? t.account : dialog.of)}
      verb={t.removePolicy}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      {t.removePolicyText}
    </ConfirmDialog>
  )
}
