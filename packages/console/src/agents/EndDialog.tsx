import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { useMe } from "../app/me.ts"
import { useProject } from "../app/useProject.ts"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

/** Ends all agents; the account's name is typed. */
export const EndDialog = () => {
  const t = useWords(words)
  const me = useMe()
  const { project_id } = useProject()
  const dialog = useDialog("end")
  const end = useAct(portico.agents.end, {
    onDone: ({ ended }) => {
      toast(t.ended(ended))
      dialog.close()
    },
    touches: ["credentials"]
  })
  const input = { project_id }
  return (
    <ConfirmDialog
      open={dialog.open}
      title={t.endAll}
      name={me.tenant?.name ?? project_id ?? ""}
      verb={t.endAll}
      pending={end.pending}
      refusal={end.refusal}
      onConfirm={() => void end.act(input)}
      onClose={() => {
        end.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: end.operation, input }]} />}
    >
      {t.endText}
    </ConfirmDialog>
  )
}
