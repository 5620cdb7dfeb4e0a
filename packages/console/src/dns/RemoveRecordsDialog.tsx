import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx"
import { Mono, Stack } from "../ui/layout.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Recordset } from "./recordset.ts"
import { words } from "./words.ts"

export const RemoveRecordsDialog = ({ recordsets }: { readonly recordsets: ReadonlyArray<Recordset> }) => {
  const t = useWords(words)
  const dialog = useDialog("remove-records")
  const recordset = recordsets.find((_) => _.recordset_id === dialog.of)
  const remove = useAct(portico.dns.removeRecordset, {
    touches: ["quotas"],
    onDone: () => {
      toast(t.deleted)
      dialog.close()
    }
  })
  const input = { zone_id: recordset?.zone_id ?? "", recordset_id: dialog.of }
  return (
    <ConfirmDialog
      open={dialog.open && recordset !== undefined}
      title={t.deleteOf(recordset?.name ?? "", recordset?.type ?? "")}
      name={recordset?.name}
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
      <p>{t.deleteText}</p>
      <Stack tight>
        {recordset?.records.map((_) => (
          <Mono key={_}>{_}</Mono>
        ))}
      </Stack>
    </ConfirmDialog>
  )
}
