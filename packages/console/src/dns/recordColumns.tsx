import type { ReactNode } from "react"
import { useMe } from "../app/me.ts"
import { State } from "../ui/Badge.tsx"
import { IconButton } from "../ui/Button.tsx"
import { Mono, Muted, Row, Stack } from "../ui/layout.tsx"
import type { Column } from "../ui/Table.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { Pencil, Trash2 } from "lucide-react"
import { useWords } from "../words/words.ts"
import { type Recordset, shortName, type Zone } from "./recordset.ts"
import { words } from "./words.ts"

interface Editing {
  readonly zone: Zone
  /** What stands in place of the records that are edited. */
  readonly editor: ReactNode
  readonly editing: string | undefined
  readonly onEdit: (recordset: Recordset) => void
}

const Acts = ({ of, onEdit }: { readonly of: Recordset; readonly onEdit: (recordset: Recordset) => void }) => {
  const t = useWords(words)
  const { tier } = useMe()
  const remove = useDialog("remove-records")
  const { name, read_only, recordset_id, type } = of
  if (read_only) return <Muted small>{t.readOnly}</Muted>
  return (
    <Row>
      {tier < 1 ? null : <IconButton icon={Pencil} label={t.editOf(name, type)} onClick={() => onEdit(of)} />}
      {tier < 2 ? null : (
        <IconButton icon={Trash2} label={t.deleteOf(name, type)} onClick={() => remove.show(recordset_id)} />
      )}
    </Row>
  )
}

export const useRecordColumns = ({ editing, editor, onEdit, zone }: Editing): ReadonlyArray<Column<Recordset>> => {
  const t = useWords(words)
  return [
    { title: t.name, cell: ({ name }) => <Mono>{shortName(name, zone.name)}</Mono> },
    { title: t.type, cell: (_) => _.type },
    { title: t.ttl, end: true, cell: ({ ttl }) => ttl ?? <Muted>{t.zoneTtl(zone.ttl)}</Muted> },
    {
      title: t.records,
      cell: ({ description, recordset_id, records }) =>
        recordset_id === editing ? (
          editor
        ) : (
          <Stack tight>
            {records.map((_) => (
              <Mono key={_}>{_}</Mono>
            ))}
            {description === null ? null : <Muted small>{description}</Muted>}
          </Stack>
        )
    },
    { title: t.status, cell: (_) => <State state={_.status} /> },
    {
      title: "",
      end: true,
      cell: (_) => (_.recordset_id === editing ? null : <Acts of={_} onEdit={onEdit} />)
    }
  ]
}
