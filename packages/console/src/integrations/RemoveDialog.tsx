import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Integration } from "./integration.ts"
import { words } from "./words.ts"

export const RemoveDialog = ({ integration: { integration_id, name } }: { readonly integration: Integration }) => {
  const t = useWords(words)
  const [, go] = useLocation()
  const dialog = useDialog("remove")
  const input = { integration_id }
  const remove = useAct(portico.integrations.remove, {
    onDone: () => {
      toast(t.removed)
      go("/integrations", { replace: true })
    }
  })
  return (
    <ConfirmDialog
      open={dialog.open}
      title={`${t.remove}: ${name}`}
      name={name}
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
