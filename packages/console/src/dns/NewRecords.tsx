import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Foot } from "../ui/Dialog.tsx"
import { Form, Pair, SelectField, TextArea, TextField } from "../ui/form.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { toast } from "../ui/toasts.tsx"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import styles from "./dns.module.css"
import {
  nameRefused,
  recordsIn,
  recordsRefused,
  type RecordType,
  recordTypes,
  ttlIn,
  ttlRefused,
  type Zone
} from "./recordset.ts"
import { words } from "./words.ts"

interface Draft {
  readonly name: string
  readonly type: RecordType
  readonly records: string
  readonly ttl: string
}

const empty: Draft = { name: "", type: "A", records: "", ttl: "" }

/** What a record of the type looks like. */
const examples: Readonly<Record<RecordType, string>> = {
  A: "192.0.2.1",
  AAAA: "2001:db8::1",
  CNAME: "www.example.net.",
  TXT: "v=spf1 -all",
  MX: "10 mail.example.net."
}

export const NewRecords = ({ onClose, zone }: { readonly zone: Zone; readonly onClose: () => void }) => {
  const t = useWords(words)
  const { draft, set } = useDraft(empty)
  const create = useAct(portico.dns.createRecordset, {
    touches: ["quotas"],
    onDone: () => {
      toast(t.saved)
      onClose()
    }
  })
  const input = {
    zone_id: zone.zone_id,
    name: draft.name,
    type: draft.type,
    records: recordsIn(draft.records),
    ttl: ttlIn(draft.ttl)
  }
  return (
    <div className={styles["box"]}>
      <Form label={t.addTitle} onSubmit={() => void create.act(input)}>
        <Pair>
          <TextField
            label={t.name}
            help={t.recordNameHelp}
            value={draft.name}
            onChange={set("name")}
            error={nameRefused(create.refusal)}
          />
          <SelectField<RecordType>
            label={t.type}
            value={draft.type}
            onChange={set("type")}
            choices={recordTypes.map((value) => ({ value, label: value }))}
          />
          <TextField
            label={t.ttl}
            help={t.ttlHelp}
            inputMode="numeric"
            value={draft.ttl}
            onChange={set("ttl")}
            error={ttlRefused(create.refusal)}
            optional
          />
        </Pair>
        <TextArea
          label={t.record}
          placeholder={examples[draft.type]}
          value={draft.records}
          onChange={set("records")}
          error={recordsRefused(create.refusal)}
        />
        <RefusalBox refusal={create.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: create.operation, input }]} />
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" kind="primary" busy={create.pending}>
            {t.add}
          </Button>
        </Foot>
      </Form>
    </div>
  )
}
