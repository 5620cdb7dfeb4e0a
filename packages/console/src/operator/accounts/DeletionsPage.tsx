import { Trash2 } from "lucide-react"
import { Link } from "wouter"
import { usePages } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { ButtonLink } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { useWords } from "../../words/words.ts"
import { useWhole } from "../common/useWhole.ts"
import { HeldBy, OperatorState } from "../common/OperatorState.tsx"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { words } from "../words.ts"

type Project = Awaited<ReturnType<typeof operator.projects.list>>["projects"][number]

const DeletionsPage = () => {
  const t = useWords(words)
  const c = useWords(common)
  const answer = usePages(operator.projects.list, { limit: 200 })
  useWhole(answer, true)
  const columns: ReadonlyArray<Column<Project>> = [
    { title: c.name, cell: (_) => <Link href={`/tenants/${_.project_id}`}>{_.name}</Link> },
    { title: c.tier, cell: (_) => _.tier },
    { title: c.state, cell: (_) => <OperatorState state={_.state} /> },
    { title: t.held, cell: (_) => <HeldBy reasons={_.closing} /> },
    { title: t.created, cell: (_) => <Time at={_.created_at} /> }
  ]
  return (
    <Page title={t.deletions} about={t.deletionsAbout}>
      <Answered answer={answer}>
        {(pages) => (
          <Table
            label={t.deletions}
            columns={columns}
            rows={pages.flatMap((_) => _.projects).filter((_) => _.state !== "live")}
            keyOf={(_) => _.project_id}
            empty={
              <EmptyState
                icon={Trash2}
                title={t.noDeletions}
                action={<ButtonLink href="/tenants">{t.toTenants}</ButtonLink>}
              >
                {t.noDeletionsText}
              </EmptyState>
            }
          />
        )}
      </Answered>
    </Page>
  )
}

export default DeletionsPage
