import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

export const RemoveObjectDialog = ({ bucket }: { readonly bucket: string }) => {
  const t = useWords(words)
  const dialog = useDialog("remove-object")
  const { data } = useAnswer(portico.objectStorage.versioning, { name: bucket }, { enabled: dialog.open })
  const remove = useAct(portico.objectStorage.removeObject, {
    touches: ["quotas"],
    onDone: () => {
      toast(t.objectRemoved)
      dialog.close()
    }
  })
  const input = { name: bucket, key: dialog.of }
  return (
    <ConfirmDialog
      open={dialog.open}
      title={t.removeObject(dialog.of)}
      name={dialog.of}
      verb={t.delete}
      pending={remove.pending}
      refusal={remove.refusal}
      onConfirm={() => void remove.act(input)}
      onClose={() => {
        remove.reset()
        dialog.close()
      }}
      aside={<CopyAs calls={[{ operation: remove.operation, input }]} />}
    >
      {data === undefined ? "" : data.versioning === "enabled" ? t.removeObjectKept : t.removeObjectLost}
    </ConfirmDialog>
  )
}
