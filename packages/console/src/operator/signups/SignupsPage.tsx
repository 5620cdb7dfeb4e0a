import { UserRoundPlus } from "lucide-react"
import { Link } from "wouter"
import { usePages } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { ButtonLink } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../../ui/form.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { useFilter } from "../../ui/useFilter.ts"
import { useWords } from "../../words/words.ts"
import { useWhole } from "../common/useWhole.ts"
import { OperatorState, useStateChoices } from "../common/OperatorState.tsx"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { type Signup, states } from "./signup.ts"
import { words } from "./words.ts"

const SignupsPage = () => {
  const t = useWords(words)
  const c = useWords(common)
  const [wanted, setWanted] = useFilter("q")
  const [chosen, setState] = useFilter("state")
  const state = states.find((_) => _ === chosen)
  const choices = useStateChoices(c.all, states)
  const answer = usePages(operator.signups.list, { state })
  useWhole(answer, wanted !== "")
  const fits = ({ email, org_name }: Signup) => `${org_name} ${email}`.toLowerCase().includes(wanted.toLowerCase())
  const columns: ReadonlyArray<Column<Signup>> = [
    { title: t.org, cell: (_) => <Link href={`/signups/${_.signup_id}`}>{_.org_name}</Link> },
    { title: t.email, cell: (_) => _.email },
    { title: c.state, cell: (_) => <OperatorState state={_.state} /> },
    { title: t.asked, cell: (_) => <Time at={_.created_at} /> },
    { title: t.decided, cell: (_) => (_.decided_at === null ? "–" : <Time at={_.decided_at} />) }
  ]
  return (
    <Page title={t.title} about={t.about}>
      <FilterBar>
        <TextField label={t.search} value={wanted} onChange={setWanted} type="search" />
        <SelectField label={c.state} value={chosen} onChange={setState} choices={choices} />
      </FilterBar>
      <Answered answer={answer}>
        {(pages) => (
          <Table
            label={t.title}
            columns={columns}
            rows={pages.flatMap((_) => _.signups).filter(fits)}
            keyOf={(_) => _.signup_id}
            count={pages[0]?.count}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState
                icon={UserRoundPlus}
                title={t.none}
                action={<ButtonLink href="/tenants">{t.showTenants}</ButtonLink>}
              >
                {t.noneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
    </Page>
  )
}

export default SignupsPage
