import { Building2 } from "lucide-react"
import { Link } from "wouter"
import { usePages } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { ButtonLink } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { useWords } from "../../words/words.ts"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { DriftBadge } from "./DriftTable.tsx"
import { type Drift, TenantState } from "./tenant.tsx"
import { words } from "./words.ts"

const DriftPage = () => {
  const t = useWords(words)
  const c = useWords(common)
  const answer = usePages(operator.drift.show, { limit: 10 })
  const columns: ReadonlyArray<Column<Drift>> = [
    { title: c.name, cell: ({ tenant }) => <Link href={`/tenants/${tenant.project_id}`}>{tenant.name}</Link> },
    { title: c.tier, cell: ({ tenant }) => tenant.tier },
    {
      title: c.state,
      cell: ({ tenant }) => <TenantState suspended={tenant.suspended} pendingTier={tenant.pending_tier} />
    },
    { title: t.drift, cell: (_) => <DriftBadge drift={_} /> },
    {
      title: t.quota,
      cell: ({ dimensions }) =>
        dimensions
          .filter((_) => _.state === "drifted" || _.state === "absent")
          .map((_) => `${_.service} ${_.dimension}`)
          .join(", ")
    }
  ]
  return (
    <Page title={t.driftPage} about={`${t.driftAbout} ${t.driftPageAbout}`} up={{ href: "/tenants", title: t.title }}>
      <Answered answer={answer}>
        {(pages) => (
          <Table
            label={t.driftPage}
            columns={columns}
            rows={pages.flatMap((_) => _.tenants)}
            keyOf={(_) => _.tenant.project_id}
            count={pages[0]?.count}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState
                icon={Building2}
                title={t.none}
                action={<ButtonLink href="/tenants?dialog=create">{t.create}</ButtonLink>}
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

export default DriftPage
