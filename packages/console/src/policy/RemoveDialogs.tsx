import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { useProject } from "../app/useProject.ts"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export const RemoveUnitDialog = () => {
  const t = useWords(words)
  const { project_id } = useProject()
  const { of } = useDialog("remove-unit")
  return (
    <ActDialog
      dialog="remove-unit"
      write={portico.policy.removeUnit}
      input={{ path: of, project_id }}
      title={t.removeUnitTitle(of)}
      verb={t.removeUnit}
      done={t.unitRemoved}
    >
      {t.removeUnitText}
    </ActDialog>
  )
}

export const RemovePolicyDialog = () => {
  const t = useWords(words)
  const { project_id } = useProject()
  const { of } = useDialog("remove-policy")
  return (
    <ActDialog
      dialog="remove-policy"
      write={portico.policy.removePolicy}
      input={{ ou: of, project_id }}
      title={t.removePolicyTitle(of === "" ? t.account : of)}
      verb={t.removePolicy}
      done={t.policyRemoved}
    >
      {t.removePolicyText}
    </ActDialog>
  )
}
