import { Layers2, Plus } from "lucide-react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, TextField } from "../ui/form.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { CreateDialog } from "./CreateDialog.tsx"
import { type Group, paceOf } from "./group.ts"
import { words } from "./words.ts"

const GroupsPage = () => {
  const t = useWords(words)
  const { tier } = useMe()
  const create = useDialog("create")
  const [wanted, setWanted] = useFilter("q")
  const known = useAnswer(portico.autoscaling.list, {})
  const answer = useAnswer(portico.autoscaling.list, {}, { everyMillis: paceOf(known.data?.groups ?? []) })
  const columns: ReadonlyArray<Column<Group>> = [
    { title: t.name, cell: (_) => <Link href={`/autoscaling/${_.group_id}`}>{_.name}</Link>, sort: (_) => _.name },
    { title: t.state, cell: (_) => <State state={_.state} />, sort: (_) => _.state },
    {
      title: t.servers,
      end: true,
      sort: (_) => _.desired,
      cell: (_) => t.serversOf(String(_.servers.filter(({ leaving }) => !leaving).length), String(_.desired))
    },
    { title: t.range, end: true, cell: (_) => `${_.min}–${_.max}` },
    { title: t.policies, cell: (_) => _.policies.map(({ name }) => name).join(", ") }
  ]
  const button = (
    <Button kind="primary" icon={Plus} disabled={tier < 1} onClick={() => create.show()}>
      {t.create}
    </Button>
  )
  return (
    <Page title={t.title} about={t.about} actions={button}>
      <FilterBar>
        <TextField label={t.search} value={wanted} onChange={setWanted} type="search" />
      </FilterBar>
      <Answered answer={answer}>
        {({ groups }) => (
          <Table
            label={t.title}
            columns={columns}
            rows={groups.filter((_) => _.name.includes(wanted.toLowerCase()))}
            keyOf={(_) => _.group_id}
            empty={
              <EmptyState icon={Layers2} title={t.none} action={button}>
                {t.noneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <CreateDialog />
    </Page>
  )
}

export default GroupsPage
