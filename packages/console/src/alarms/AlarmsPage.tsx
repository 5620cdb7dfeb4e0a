import { BellRing, Plus } from "lucide-react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Badge, State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../ui/form.tsx"
import { useStateName } from "../ui/states.ts"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { type Alarm, alarmStates, noAlarm, useRule } from "./alarm.ts"
import { AlarmDialog } from "./AlarmDialog.tsx"
import { words } from "./words.ts"

const useColumns = (): ReadonlyArray<Column<Alarm>> => {
  const t = useWords(words)
  const stateName = useStateName()
  const ruleOf = useRule()
  return [
    { title: t.name, cell: (_) => <Link href={`/alarms/${_.alarm_id}`}>{_.name}</Link>, sort: (_) => _.name },
    {
      title: t.state,
      sort: (_) => _.state,
      cell: ({ enabled, state }) => (
        <>
          <State state={state} /> {enabled ? null : <Badge>{t.off}</Badge>}
        </>
      )
    },
    { title: t.severity, cell: (_) => stateName(_.severity), sort: (_) => _.severity },
    { title: t.rule, cell: (_) => ruleOf(_.rule) },
    { title: t.since, cell: (_) => <Time at={_.last_transition_at} />, sort: (_) => _.last_transition_at ?? "" }
  ]
}

const AlarmsPage = () => {
  const t = useWords(words)
  const stateName = useStateName()
  const { tier } = useMe()
  const create = useDialog("create")
  const [wanted, setWanted] = useFilter("q")
  const [chosen, setState] = useFilter("state")
  const state = alarmStates.find((_) => _ === chosen)
  const answer = useAnswer(portico.alarms.list, { state }, { everyMillis: 30_000 })
  const columns = useColumns()
  const button = (
    <Button kind="primary" icon={Plus} disabled={tier < 1} onClick={() => create.show()}>
      {t.create}
    </Button>
  )
  return (
    <Page title={t.title} about={t.about} actions={button}>
      <FilterBar>
        <TextField label={t.search} value={wanted} onChange={setWanted} type="search" />
        <SelectField
          label={t.state}
          value={chosen}
          onChange={setState}
          choices={[{ value: "", label: t.all }, ...alarmStates.map((value) => ({ value, label: stateName(value) }))]}
        />
      </FilterBar>
      <Answered answer={answer}>
        {({ alarms }) => (
          <Table
            label={t.title}
            columns={columns}
            rows={alarms.filter((_) => `${_.name} ${_.alarm_id}`.toLowerCase().includes(wanted.toLowerCase()))}
            keyOf={(_) => _.alarm_id}
            empty={
              <EmptyState icon={BellRing} title={t.none} action={button}>
                {t.noneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      {create.open ? (
        <AlarmDialog
          title={t.create}
          verb={t.create}
          done={t.created}
          initial={noAlarm}
          write={portico.alarms.create}
          inputOf={(_) => _}
          onClose={create.close}
        />
      ) : null}
    </Page>
  )
}

export default AlarmsPage
