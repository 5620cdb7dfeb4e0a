import { Landmark } from "lucide-react"
import { Link } from "wouter"
import { usePages } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { ButtonLink } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { FilterBar, SelectField, TextField } from "../../ui/form.tsx"
import { Mono, Muted } from "../../ui/layout.tsx"
import { MenuItem, RowMenu } from "../../ui/Menu.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useFilter } from "../../ui/useFilter.ts"
import { useWords } from "../../words/words.ts"
import { OperatorState, useStateChoices } from "../common/OperatorState.tsx"
import { useWhole } from "../common/useWhole.ts"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { words } from "../words.ts"
import { AccountDialogs } from "./AccountDialogs.tsx"
import type { Account } from "./account.ts"
import { isMeant } from "./account.ts"

const states: ReadonlyArray<Account["state"]> = ["open", "closing", "destroyed"]

const Closing = ({ account: { attempts, closed_at, closed_by, reason, refusal } }: { readonly account: Account }) => {
  const t = useWords(words)
  if (closed_at === null) return <>–</>
  return (
    <>
      <Time at={closed_at} as="moment" /> <Muted small>{closed_by}</Muted>
      {reason === null ? null : <p>{reason}</p>}
      {refusal === null ? null : (
        <p>
          <Badge tone="bad">{t.refused}</Badge> {refusal.message} <Muted small>{t.attempts(attempts)}</Muted>
        </p>
      )}
    </>
  )
}

const useColumns = (): ReadonlyArray<Column<Account>> => {
  const t = useWords(words)
  const c = useWords(common)
  const reopen = useDialog("reopen")
  const finalize = useDialog("finalize")
  return [
    { title: t.number, cell: (_) => _.number },
    { title: c.name, cell: (_) => _.name },
    {
      title: c.state,
      cell: ({ destroying, state }) => (
        <>
          <OperatorState state={state} /> {destroying ? <Badge tone="busy">{t.destroying}</Badge> : null}
        </>
      )
    },
    {
      title: t.projects,
      cell: ({ projects, state }) =>
        projects.map(({ project_id: id }) => (
          <div key={id}>
            {state === "destroyed" ? (
              <Mono>{id}</Mono>
            ) : (
              <Link href={`/tenants/${id}`}>
                <Mono>{id}</Mono>
              </Link>
            )}
          </div>
        ))
    },
    { title: t.closed, cell: (_) => <Closing account={_} /> },
    {
      title: t.ends,
      cell: (_) => ((_.destroyed_at ?? _.closes_at) === null ? "–" : <Time at={_.destroyed_at ?? _.closes_at} />)
    },
    {
      title: "",
      end: true,
      cell: ({ destroying, name, number, state }) =>
        state === "closing" ? (
          <RowMenu of={name}>
            <MenuItem disabled={destroying} onSelect={() => reopen.show(String(number))}>
              {t.reopen}
            </MenuItem>
            <MenuItem danger onSelect={() => finalize.show(String(number))}>
              {t.finalize}
            </MenuItem>
          </RowMenu>
        ) : null
    }
  ]
}

const AccountsPage = () => {
  const t = useWords(words)
  const c = useWords(common)
  const [chosen, setState] = useFilter("state")
  const state = states.find((_) => _ === chosen)
  const choices = useStateChoices(c.all, states)
  const [wanted, setWanted] = useFilter("q")
  const answer = usePages(operator.accounts.list, { state })
  useWhole(answer, wanted !== "")
  const columns = useColumns()
  return (
    <Page title={t.accounts} about={t.accountsAbout}>
      <FilterBar>
        <TextField label={t.nameOrNumber} value={wanted} onChange={setWanted} type="search" />
        <SelectField label={c.state} value={chosen} onChange={setState} choices={choices} />
      </FilterBar>
      <Answered answer={answer}>
        {(pages) => (
          <>
            <Table
              label={t.accounts}
              columns={columns}
              rows={pages.flatMap((_) => _.accounts).filter((_) => isMeant(_, wanted))}
              keyOf={(_) => String(_.number)}
              count={pages[0]?.count}
              hasMore={answer.hasMore}
              more={answer.more}
              loadingMore={answer.loadingMore}
              empty={
                <EmptyState
                  icon={Landmark}
                  title={t.noAccounts}
                  action={<ButtonLink href="/tenants">{t.toTenants}</ButtonLink>}
                >
                  {t.noAccountsText}
                </EmptyState>
              }
            />
            <AccountDialogs accounts={pages.flatMap((_) => _.accounts)} />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default AccountsPage
