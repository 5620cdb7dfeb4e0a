import { Globe, Plus, Wrench } from "lucide-react"
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
import { Mono } from "../ui/layout.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { CreateExposureDialog } from "./CreateExposureDialog.tsx"
import { type Exposure, targetOf } from "./exposure.ts"
import { ResyncDialog } from "./ResyncDialog.tsx"
import { words } from "./words.ts"

const useColumns = (): ReadonlyArray<Column<Exposure>> => {
  const t = useWords(words)
  return [
    {
      title: t.name,
      cell: ({ exposure_id, name }) => <Link href={`/edge/exposures/${exposure_id}`}>{name}</Link>,
      sort: (_) => _.name
    },
    { title: t.url, cell: ({ domain, hostname }) => domain?.name ?? hostname },
    { title: t.target, cell: (_) => <Mono>{targetOf(_)}</Mono> },
    { title: t.state, cell: (_) => <State state={_.state} />, sort: (_) => _.state },
    { title: t.made, cell: (_) => <Time at={_.created_at} />, sort: (_) => _.created_at }
  ]
}

/** The edge takes a route without an event. */
const pace = 5000

const ExposuresPage = () => {
  const t = useWords(words)
  const me = useMe()
  const create = useDialog("create-exposure")
  const resync = useDialog("resync")
  const [wanted, setWanted] = useFilter("q")
  const answer = useAnswer(portico.edge.list, {}, { everyMillis: pace })
  const columns = useColumns()
  const button =
    me.tier < 1 ? null : (
      <Button kind="primary" icon={Plus} onClick={() => create.show()}>
        {t.create}
      </Button>
    )
  const fits = ({ domain, name }: Exposure) => `${name} ${domain?.name ?? ""}`.includes(wanted.toLowerCase())
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <>
          {button}
          {me.tier < 1 ? null : (
            <Button icon={Wrench} onClick={() => resync.show()}>
              {t.resync}
            </Button>
          )}
        </>
      }
    >
      <FilterBar>
        <TextField label={t.search} value={wanted} onChange={setWanted} type="search" />
      </FilterBar>
      <Answered answer={answer}>
        {({ exposures }) => (
          <Table
            label={t.title}
            columns={columns}
            rows={exposures.filter(fits)}
            keyOf={(_) => _.exposure_id}
            empty={
              <EmptyState icon={Globe} title={t.none} action={button}>
                {t.noneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <CreateExposureDialog />
      <ResyncDialog />
    </Page>
  )
}

export default ExposuresPage
