import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Credential } from "./credential.tsx"
import { words } from "./words.ts"

export const RevokeDialog = ({ credentials }: { readonly credentials: ReadonlyArray<Credential> }) => {
  const t = useWords(words)
  const dialog = useDialog("revoke")
  const credential = credentials.find((_) => _.credential_id === dialog.of)
  const revoke = useAct(portico.credentials.revoke, {
    onDone: () => {
      toast(t.revoked)
      dialog.close()
    }
  })
  const input = { credential_id: dialog.of }
  return (
    <ConfirmDialog
      open={dialog.open && credential !== undefined}
      title={t.revokeTitle(credential?.label ?? "")}
      name={credential?.label}
      verb={t.revoke}
      pending={revoke.pending}
      refusal={revoke.refusal}
      onConfirm={() => void revoke.act(input)}
      onClose={() => {
        revoke.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: revoke.operation, input }]} />}
    >
      {t.revokeText}
    </ConfirmDialog>
  )
}
