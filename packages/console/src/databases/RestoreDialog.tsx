import { useState } from "react"
import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { CheckField, Form, Pair, TextField } from "../ui/form.tsx"
import { Muted } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { Arithmetic } from "./Arithmetic.tsx"
import { wholeOf } from "./arithmetic.ts"
import { type Backup, type DatabaseDetail, followDatabase, pathOf } from "./database.tsx"
import { localOf, momentOf } from "./moments.ts"
import { words } from "./words.ts"

interface RestoreDialogProps {
  readonly database: DatabaseDetail
  readonly backup: Backup
}

/** `?dialog=restore&of=<moment>`: the moment of the address is the one that is restored, unless another is chosen here. */
export const RestoreDialog = ({ backup, database }: RestoreDialogProps) => {
  const t = useWords(words)
  const dialog = useDialog("restore")
  const [, goTo] = useLocation()
  const { draft, set } = useDraft({ name: "", size: String(database.size_gb), replicas: String(database.replicas) })
  const [newest, setNewest] = useState(false)
  const restore = useAct(portico.databases.restore, {
    touches: ["quotas"],
    onDone: (started) => {
      followDatabase(started, t.creating(started.name))
      goTo(pathOf(started))
    }
  })
  const input = {
    engine: database.engine,
    name: database.name,
    body: {
      name: draft.name,
      size_gb: Number(draft.size),
      replicas: Number(draft.replicas),
      ...(newest || dialog.of === "" ? {} : { to_point_in_time: dialog.of })
    }
  }
  const fields = restore.refusal?.fields ?? {}
  // Without a moment the gateway would take the newest one, which somebody may not mean.
  const isMissing = !newest && dialog.of === ""
  const close = () => {
    restore.reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.restoreTitle(database.name)}>
      <Form onSubmit={() => void (isMissing || restore.act(input))}>
        <TextField label={t.restoreName} value={draft.name} onChange={set("name")} error={fields["name"]} />
        <PointField
          backup={backup}
          point={dialog.of}
          choose={dialog.show}
          disabled={newest}
          error={isMissing ? t.pointMissing : fields["to_point_in_time"]}
        />
        <CheckField
          label={
            <>
              {t.newest} <Muted small>{t.newestHelp}</Muted>
            </>
          }
          checked={newest}
          onChange={setNewest}
        />
        <Pair>
          <TextField
            label={t.size}
            inputMode="numeric"
            value={draft.size}
            onChange={set("size")}
            error={fields["size_gb"]}
          />
          <TextField
            label={t.replicas}
            inputMode="numeric"
            value={draft.replicas}
            onChange={set("replicas")}
            error={fields["replicas"]}
          />
        </Pair>
        {dialog.open ? (
          <Arithmetic wanted={{ size_gb: wholeOf(draft.size), replicas: wholeOf(draft.replicas) }} />
        ) : null}
        <RefusalBox refusal={restore.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: restore.operation, input }]} />
          <Button type="submit" kind="primary" disabled={isMissing} busy={restore.pending}>
            {t.restore}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

interface PointFieldProps {
  readonly backup: Backup
  readonly point: string
  readonly choose: (point: string) => void
  readonly disabled: boolean
  readonly error: string | undefined
}

const PointField = ({ backup, choose, disabled, error, point }: PointFieldProps) => {
  const t = useWords(words)
  const { moment } = useFormats()
  const { earliest_recovery_point: earliest, latest_recovery_point: latest } = backup
  return (
    <TextField
      label={t.point}
      help={earliest === null || latest === null ? undefined : t.pointHelp(moment(earliest), moment(latest))}
      type="datetime-local"
      step={1}
      disabled={disabled}
      value={localOf(point)}
      onChange={(local) => choose(momentOf(local) ?? "")}
      error={error}
    />
  )
}
