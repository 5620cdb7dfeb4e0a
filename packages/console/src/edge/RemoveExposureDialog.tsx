import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Exposure } from "./exposure.ts"
import { words } from "./words.ts"

export const RemoveExposureDialog = ({ exposure }: { readonly exposure: Exposure }) => {
  const t = useWords(words)
  const dialog = useDialog("remove-exposure")
  const [, go] = useLocation()
  const remove = useAct(portico.edge.remove, {
    touches: ["quotas"],
    onDone: () => {
      toast(t.removed)
      go("/edge/exposures")
    }
  })
  const input = { exposure_id: exposure.exposure_id }
  return (
    <ConfirmDialog
      open={dialog.open}
      title={t.removeTitle(exposure.name)}
      name={exposure.name}
      verb={t.remove}
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
