import { useLocation } from "wouter"
import { portico } from "../api/portico.ts"
import { useAct } from "../api/useAct.ts"
import { CopyAs } from "../app/CopyAs.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog, Foot } from "../ui/Dialog.tsx"
import { CheckField, ChoiceField, Form, Pair, TextField } from "../ui/form.tsx"
import { Muted } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useDraft } from "../ui/useDraft.ts"
import { useWords } from "../words/words.ts"
import { Arithmetic } from "./Arithmetic.tsx"
import { wholeOf } from "./arithmetic.ts"
import { type Engine, followDatabase, pathOf } from "./database.tsx"
import { words } from "./words.ts"

interface Draft {
  readonly engine: Engine
  readonly name: string
  readonly version: string
  readonly size: string
  readonly replicas: string
  readonly backup: boolean
  readonly schedule: string
  readonly retention: string
}

const empty: Draft = {
  engine: "postgres",
  name: "",
  version: "17",
  size: "10",
  replicas: "1",
  backup: true,
  schedule: "",
  retention: ""
}

/** The versions that a person most likely wants; the gateway says which others there are. */
const usual: Readonly<Record<Engine, string>> = { postgres: "17", kafka: "4.3.1" }

const backupOf = ({ retention, schedule }: Draft) => ({
  enabled: true,
  ...(schedule === "" ? {} : { schedule }),
  ...(retention === "" ? {} : { retention_days: Number(retention) })
})

const inputOf = (draft: Draft) => {
  const { engine, name, size, version } = draft
  const common = { engine, name, version, size_gb: Number(size) }
  if (engine === "kafka") return common
  return { ...common, replicas: Number(draft.replicas), backup: draft.backup ? backupOf(draft) : undefined }
}

export const CreateDialog = () => {
  const t = useWords(words)
  const dialog = useDialog("create")
  const [, goTo] = useLocation()
  const { change, draft, reset, set } = useDraft<Draft>(empty)
  const create = useAct(portico.databases.create, {
    touches: ["quotas"],
    onDone: (started) => {
      reset()
      followDatabase(started, t.creating(started.name))
      goTo(pathOf(started))
    }
  })
  const input = inputOf(draft)
  const fields = create.refusal?.fields ?? {}
  const isPostgres = draft.engine === "postgres"
  const ofVersion = create.refusal?.code === "database_version_refused" ? create.refusal.detail : fields["version"]
  const close = () => {
    create.reset()
    dialog.close()
  }
  return (
    <Dialog open={dialog.open} onClose={close} title={t.create}>
      <Form onSubmit={() => void create.act(input)}>
        <ChoiceField<Engine>
          legend={t.engine}
          value={draft.engine}
          onChange={(engine) => change({ engine, version: usual[engine] })}
          choices={[
            { value: "postgres", label: "PostgreSQL", help: t.postgresHelp },
            { value: "kafka", label: "Apache Kafka", help: t.kafkaHelp }
          ]}
        />
        <TextField label={t.name} help={t.nameHelp} value={draft.name} onChange={set("name")} error={fields["name"]} />
        <Pair>
          <TextField label={t.version} value={draft.version} onChange={set("version")} error={ofVersion} />
          <TextField
            label={t.size}
            help={t.sizeGrows}
            inputMode="numeric"
            value={draft.size}
            onChange={set("size")}
            error={fields["size_gb"]}
          />
          {isPostgres ? (
            <TextField
              label={t.replicas}
              help={t.replicasHelp}
              inputMode="numeric"
              value={draft.replicas}
              onChange={set("replicas")}
              error={fields["replicas"]}
            />
          ) : null}
        </Pair>
        {isPostgres ? <BackupFields draft={draft} set={set} fields={fields} /> : null}
        {dialog.open ? (
          <Arithmetic wanted={{ size_gb: wholeOf(draft.size), replicas: isPostgres ? wholeOf(draft.replicas) : 1 }} />
        ) : null}
        <RefusalBox refusal={create.refusal} />
        <Foot>
          <CopyAs calls={[{ operation: create.operation, input }]} />
          <Button type="submit" kind="primary" busy={create.pending}>
            {t.create}
          </Button>
        </Foot>
      </Form>
    </Dialog>
  )
}

interface BackupFieldsProps {
  readonly draft: Draft
  readonly set: ReturnType<typeof useDraft<Draft>>["set"]
  readonly fields: Readonly<Record<string, string>>
}

const BackupFields = ({ draft, fields, set }: BackupFieldsProps) => {
  const t = useWords(words)
  return (
    <>
      <CheckField
        label={
          <>
            {t.backup} <Muted small>{t.backupHelp}</Muted>
          </>
        }
        checked={draft.backup}
        onChange={set("backup")}
      />
      {draft.backup ? (
        <Pair>
          <TextField
            label={t.schedule}
            help={t.scheduleHelp}
            value={draft.schedule}
            onChange={set("schedule")}
            error={fields["backup.schedule"]}
            optional
          />
          <TextField
            label={t.retention}
            help={t.retentionHelp}
            inputMode="numeric"
            value={draft.retention}
            onChange={set("retention")}
            error={fields["backup.retention_days"]}
            optional
          />
        </Pair>
      ) : null}
    </>
  )
}
