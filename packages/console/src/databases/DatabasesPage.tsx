import { Database as DatabaseIcon, Plus } from "lucide-react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useUntilSettled } from "../api/useUntilSettled.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField } from "../ui/form.tsx"
import { useStateName } from "../ui/states.ts"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useFormats } from "../words/formats.ts"
import { useWords } from "../words/words.ts"
import { CreateDialog } from "./CreateDialog.tsx"
import { type Database, DatabaseState, engines, isMoving, pathOf, statuses } from "./database.tsx"
import { words } from "./words.ts"

const useColumns = (): ReadonlyArray<Column<Database>> => {
  const t = useWords(words)
  const { number } = useFormats()
  return [
    { title: t.name, cell: (_) => <Link href={pathOf(_)}>{_.name}</Link>, sort: (_) => _.name },
    { title: t.engine, cell: (_) => `${_.engine} ${_.version}`, sort: (_) => `${_.engine} ${_.version}` },
    { title: t.status, cell: (_) => <DatabaseState status={_.status} />, sort: (_) => _.status },
    {
      title: t.sizeShort,
      cell: (_) => t.sizeOf(number(_.size_gb), number(_.replicas)),
      sort: (_) => _.size_gb * _.replicas,
      end: true
    },
    { title: t.backups, cell: (_) => (_.backup === null ? t.noBackup : <code>{_.backup.schedule}</code>) },
    { title: t.created, cell: (_) => <Time at={_.created_at} />, sort: (_) => _.created_at }
  ]
}

const DatabasesPage = () => {
  const t = useWords(words)
  const stateName = useStateName()
  const me = useMe()
  const create = useDialog("create")
  const [wantedEngine, setEngine] = useFilter("engine")
  const [wantedStatus, setStatus] = useFilter("status")
  const engine = engines.find((_) => _ === wantedEngine)
  const status = statuses.find((_) => _ === wantedStatus)
  const filtered = engine !== undefined || status !== undefined
  // A project has room for eight volumes, so that one page has all databases.
  const answer = useUntilSettled(portico.databases.list, { engine, status }, ({ databases }) =>
    databases.some(isMoving)
  )
  const columns = useColumns()
  const button =
    me.tier < 1 ? null : (
      <Button kind="primary" icon={Plus} onClick={() => create.show()}>
        {t.create}
      </Button>
    )
  const anyOf = (values: ReadonlyArray<string>) => [
    { value: "", label: t.all },
    ...values.map((value) => ({ value, label: stateName(value) }))
  ]
  return (
    <Page title={t.title} about={t.about} actions={button}>
      <FilterBar>
        <SelectField label={t.engine} value={engine ?? ""} onChange={setEngine} choices={anyOf(engines)} />
        <SelectField label={t.status} value={status ?? ""} onChange={setStatus} choices={anyOf(statuses)} />
      </FilterBar>
      <Answered answer={answer}>
        {({ databases }) => (
          <Table
            label={t.title}
            columns={columns}
            rows={databases}
            keyOf={pathOf}
            empty={
              <EmptyState
                icon={DatabaseIcon}
                title={filtered ? t.noneFits : t.none}
                action={filtered ? undefined : button}
              >
                {filtered ? t.noneFitsText : t.noneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <CreateDialog />
    </Page>
  )
}

export default DatabasesPage
