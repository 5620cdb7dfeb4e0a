import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Bucket } from "./useObjects.ts"
import { words } from "./words.ts"

export const RemoveBucketDialog = ({ buckets }: { readonly buckets: ReadonlyArray<Bucket> }) => {
  const t = useWords(words)
  const dialog = useDialog("remove-bucket")
  const bucket = buckets.find((_) => _.name === dialog.of)
  const remove = useAct(portico.objectStorage.removeBucket, {
    touches: ["quotas"],
    onDone: () => {
      toast(t.removed)
      dialog.close()
    }
  })
  const input = { name: dialog.of }
  return (
    <ConfirmDialog
      open={dialog.open && bucket !== undefined}
      title={t.removeTitle(dialog.of)}
      name={dialog.of}
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
      <p>{t.removeText}</p>
      {bucket?.managed_by === "databases" ? <p>{t.removeManaged}</p> : null}
    </ConfirmDialog>
  )
}
