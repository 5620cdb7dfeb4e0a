import { useAct } from "../../api/useAct.ts"
import { CopyAs } from "../../app/CopyAs.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { toast } from "../../ui/toasts.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useWords } from "../../words/words.ts"
import { operator } from "../portico.ts"
import type { Signup } from "./signup.ts"
import { words } from "./words.ts"

export const RejectDialog = ({ signup: { org_name, signup_id } }: { readonly signup: Signup }) => {
  const t = useWords(words)
  const dialog = useDialog("reject")
  const reject = useAct(operator.signups.reject, {
    onDone: () => {
      toast(t.rejected)
      dialog.close()
    }
  })
  const input = { signup_id }
  return (
    <ConfirmDialog
      open={dialog.open}
      title={t.rejectTitle(org_name)}
      verb={t.reject}
      pending={reject.pending}
      refusal={reject.refusal}
      onConfirm={() => void reject.act(input)}
      onClose={() => {
        reject.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: reject.operation, input }]} />}
    >
      {t.rejectText}
    </ConfirmDialog>
  )
}
