import { ListTree, Plus } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { Card } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { given, useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { EditRecords } from "./EditRecords.tsx"
import { NewRecords } from "./NewRecords.tsx"
import { useRecordColumns } from "./recordColumns.tsx"
import { type Recordset, recordTypes, type Zone } from "./recordset.ts"
import { RemoveRecordsDialog } from "./RemoveRecordsDialog.tsx"
import { words } from "./words.ts"

const types = [...recordTypes, "NS", "SOA"] as const

const isType = (text: string) => types.find((_) => _ === text)

/** The name servers take a change without an event, and who edits wants to see what others do at once. */
const pace = 3000

const useLookWhile = (waiting: boolean, again: () => void) =>
  useEffect(() => {
    if (!waiting) return undefined
    const timer = setTimeout(again, pace)
    return () => clearTimeout(timer)
  })

/** The page polls the zone, and the name servers raise its serial with each change of its records, whoever makes it. */
const useWhenSerialRises = ({ serial }: Zone, again: () => void) => {
  const before = useRef(serial)
  useEffect(() => {
    if (before.current === serial) return
    before.current = serial
    again()
  })
}

const useRecordsets = (zone: Zone, isEditing: boolean) => {
  const [name, setName] = useFilter("name")
  const [typed, setType] = useFilter("type")
  const type = isType(typed)
  const answer = usePages(portico.dns.recordsets, { zone_id: zone.zone_id, name: given(name), type })
  const rows = answer.data?.flatMap((_) => _.recordsets) ?? []
  useLookWhile(!answer.fetching && (isEditing || rows.some((_) => _.status === "PENDING")), answer.again)
  useWhenSerialRises(zone, answer.again)
  return { answer, name, rows, setName, setType, type: type ?? "" }
}

/** The records of a zone, changed where they stand. */
export const Records = ({ zone }: { readonly zone: Zone }) => {
  const t = useWords(words)
  const { tier } = useMe()
  const [adding, setAdding] = useState(false)
  const [seen, setSeen] = useState<Recordset>()
  const { answer, name, rows, setName, setType, type } = useRecordsets(zone, seen !== undefined)
  const editor =
    seen === undefined ? null : (
      <EditRecords
        key={`${seen.recordset_id} ${seen.updated_at}`}
        seen={seen}
        now={rows.find((_) => _.recordset_id === seen.recordset_id) ?? seen}
        onSeen={setSeen}
        onClose={() => setSeen(undefined)}
      />
    )
  const isListed = rows.some((_) => _.recordset_id === seen?.recordset_id)
  const columns = useRecordColumns({ zone, editor, editing: seen?.recordset_id, onEdit: setSeen })
  return (
    <Card
      title={t.records}
      actions={
        tier < 1 || adding ? null : (
          <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
            {t.add}
          </Button>
        )
      }
    >
      {adding ? <NewRecords zone={zone} onClose={() => setAdding(false)} /> : null}
      <FilterBar>
        <TextField label={t.search} value={name} onChange={setName} type="search" />
        <SelectField
          label={t.type}
          value={type}
          onChange={setType}
          choices={[{ value: "", label: t.allTypes }, ...types.map((value) => ({ value, label: value }))]}
        />
      </FilterBar>
      {isListed ? null : editor}
      <Answered answer={answer}>
        {([first]) => (
          <Table
            label={t.records}
            columns={columns}
            rows={rows}
            keyOf={(_) => _.recordset_id}
            count={first?.count}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState icon={ListTree} title={t.noRecords}>
                {t.noRecordsText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <RemoveRecordsDialog recordsets={rows} />
    </Card>
  )
}
