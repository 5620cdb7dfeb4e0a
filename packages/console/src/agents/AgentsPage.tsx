import { Bot, Plus } from "lucide-react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { hasRole, useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { useProject } from "../app/useProject.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button, ButtonLink } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { CheckField, FilterBar } from "../ui/form.tsx"
import { Mono, Muted } from "../ui/layout.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { EndDialog } from "./EndDialog.tsx"
import { MintDialog } from "./MintDialog.tsx"
import { words } from "./words.ts"

type Agent = Awaited<ReturnType<typeof portico.agents.list>>["agents"][number]

const useColumns = (): ReadonlyArray<Column<Agent>> => {
  const t = useWords(words)
  return [
    { title: t.label, cell: (_) => <Link href={`/agents/of/${_.credential_id}`}>{_.label}</Link> },
    { title: t.tier, cell: (_) => t.tierOf(_.tier) },
    { title: t.state, cell: (_) => <State state={_.state} /> },
    {
      title: t.lastTool,
      cell: ({ last_call_at, last_tool }) => (
        <>
          {last_tool === null ? null : <Mono>{last_tool} </Mono>}
          <Muted small>
            <Time at={last_call_at} />
          </Muted>
        </>
      )
    },
    { title: t.calls, end: true, cell: (_) => `${_.calls}${_.refused === 0 ? "" : ` (${_.refused} ${t.refused})`}` },
    { title: t.expires, cell: (_) => <Time at={_.expires_at} /> }
  ]
}

const AgentsPage = () => {
  const t = useWords(words)
  const me = useMe()
  const { project_id } = useProject()
  const mint = useDialog("mint")
  const end = useDialog("end")
  const [revoked, setRevoked] = useFilter("revoked")
  const answer = usePages(portico.agents.list, { limit: 200, project_id, include_revoked: revoked === "yes" })
  const columns = useColumns()
  const button =
    me.tenant === null ? null : (
      <Button kind="primary" icon={Plus} onClick={() => mint.show()}>
        {t.mint}
      </Button>
    )
  const ends = hasRole(me, "customer-owner") && (me.tenant !== null || project_id !== undefined)
  return (
    <Page
      title={t.title}
      about={t.about}
      actions={
        <>
          <ButtonLink href="/agents/connect">{t.connect}</ButtonLink>
          {ends ? (
            <Button kind="danger" onClick={() => end.show()}>
              {t.endAll}
            </Button>
          ) : null}
          {button}
        </>
      }
    >
      <FilterBar>
        <CheckField label={t.showRevoked} checked={revoked === "yes"} onChange={(_) => setRevoked(_ ? "yes" : "")} />
      </FilterBar>
      <Answered answer={answer}>
        {(pages) => (
          <Table
            label={t.title}
            columns={columns}
            rows={pages.flatMap((_) => _.agents)}
            keyOf={(_) => _.credential_id}
            count={pages.at(-1)?.count}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState icon={Bot} title={t.none} action={button}>
                {t.noneText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      <MintDialog />
      <EndDialog />
    </Page>
  )
}

export default AgentsPage
