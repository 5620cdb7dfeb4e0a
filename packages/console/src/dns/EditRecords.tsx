import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Foot } from "../ui/Dialog.tsx"
import { Form, TextArea, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { ChangedNotice } from "./ChangedNotice.tsx"
import { changeUnlessChanged } from "./changeUnlessChanged.ts"
import { isSame, type Recordset, recordsIn, recordsRefused, ttlIn, ttlRefused } from "./recordset.ts"
import { words } from "./words.ts"

interface EditRecordsProps {
  /** As it was when the person began. */
  readonly seen: Recordset
  /** As it is on the page. */
  readonly now: Recordset
  readonly onSeen: (recordset: Recordset) => void
  readonly onClose: () => void
}

/** Changes a recordset in place. Another window's change is shown as a difference before anything is saved over it. */
export const EditRecords = ({ now, onClose, onSeen, seen }: EditRecordsProps) => {
  const t = useWords(words)
  const { draft, set } = useDraft({ records: seen.records.join("\n"), ttl: seen.ttl === null ? "" : String(seen.ttl) })
  const wanted = { records: recordsIn(draft.records), ttl: ttlIn(draft.ttl) }
  const saved = () => {
    toast(t.saved)
    onClose()
  }
  const save = useAct(changeUnlessChanged, {
    touches: ["dns"],
    onDone: ({ outcome }) => {
      if (outcome === "saved") saved()
    }
  })
  const { zone_id, recordset_id } = seen
  const input = { zone_id, recordset_id, ...wanted }
  const overwrite = useAct(portico.dns.changeRecordset, { onDone: saved })
  const refusal = save.refusal ?? overwrite.refusal
  const other = save.answer?.outcome === "changed" ? save.answer : isSame(now, seen) ? undefined : { now }
  return (
    <Form label={t.editOf(seen.name, seen.type)} onSubmit={() => void save.act({ seen, wanted })}>
      <TextArea label={t.record} value={draft.records} onChange={set("records")} error={recordsRefused(refusal)} />
      <TextField
        label={t.ttl}
        help={t.ttlHelp}
        inputMode="numeric"
        value={draft.ttl}
        onChange={set("ttl")}
        error={ttlRefused(refusal)}
        optional
      />
      <RefusalBox refusal={refusal} />
      {other === undefined ? null : (
        <ChangedNotice
          seen={seen}
          now={other.now}
          busy={overwrite.pending}
          onOverwrite={() => void overwrite.act(input)}
          onTake={onSeen}
        />
      )}
      <Foot>
        <CopyAs calls={[{ operation: overwrite.operation, input }]} />
        <Button onClick={onClose}>{t.cancel}</Button>
        {other === undefined ? (
          <Button type="submit" kind="primary" busy={save.pending}>
            {t.save}
          </Button>
        ) : null}
      </Foot>
    </Form>
  )
}
