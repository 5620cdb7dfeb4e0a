import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Webhook } from "./webhook.ts"
import { words } from "./words.ts"

export const RemoveDialog = ({ webhook: { url, webhook_id } }: { readonly webhook: Webhook }) => {
  const t = useWords(words)
  const [, go] = useLocation()
  const dialog = useDialog("remove")
  const input = { webhook_id }
  const remove = useAct(portico.webhooks.remove, {
    onDone: () => {
      toast(t.removed)
      go("/webhooks", { replace: true })
    }
  })
  return (
    <ConfirmDialog
      open={dialog.open}
      title={`${t.remove}: ${url}`}
      name={url}
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
