import { ActDialog } from "../api/ActDialog.tsx"
import { portico } from "../api/portico.ts"
import { Mono, Stack } from "../ui/layout.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import type { Recordset } from "./recordset.ts"
import { words } from "./words.ts"

export const RemoveRecordsDialog = ({ recordsets }: { readonly recordsets: ReadonlyArray<Recordset> }) => {
  const t = useWords(words)
  const { of } = useDialog("remove-records")
  const recordset = recordsets.find((_) => _.recordset_id === of)
  return (
    <ActDialog
      dialog="remove-records"
      write={portico.dns.removeRecordset}
      input={{ zone_id: recordset?.zone_id ?? "", recordset_id: of }}
      title={t.deleteOf(recordset?.name ?? "", recordset?.type ?? "")}
      name={recordset?.name}
      verb={t.delete}
      done={t.deleted}
      enabled={recordset !== undefined}
      touches={["quotas"]}
    >
      <p>{t.deleteText}</p>
      <Stack tight>
        {recordset?.records.map((_) => (
          <Mono key={_}>{_}</Mono>
        ))}
      </Stack>
    </ActDialog>
  )
}
