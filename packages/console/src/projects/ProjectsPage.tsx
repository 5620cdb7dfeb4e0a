import { Boxes } from "lucide-react"
import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { usePages } from "../api/useAnswer.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Mono, Muted } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useWords } from "../words/words.ts"
import { pathOf, ProjectState } from "./project.tsx"
import { words } from "./words.ts"

const ProjectsPage = () => {
  const t = useWords(words)
  const answer = usePages(portico.projects.list, {})
  return (
    <Page title={t.projects} about={t.about}>
      <Answered answer={answer}>
        {(pages) => (
          <Table
            label={t.projects}
            rows={pages.flatMap((_) => _.projects)}
            keyOf={(_) => _.project_id}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            empty={
              <EmptyState icon={Boxes} title={t.none}>
                {t.noneText}
              </EmptyState>
            }
            columns={[
              {
                title: t.name,
                cell: ({ name, project_id, project_name }) => (
                  <>
                    <Link href={pathOf(project_id)}>{name === "" ? project_name : name}</Link>
                    <br />
                    <Muted small>
                      <Mono>{project_id}</Mono>
                    </Muted>
                  </>
                )
              },
              { title: t.platformName, cell: (_) => _.project_name },
              { title: t.tier, cell: (_) => _.tier },
              { title: t.state, cell: (_) => <ProjectState state={_.state} suspended={_.suspended} /> },
              { title: t.created, cell: (_) => <Time at={_.created_at} as="day" /> }
            ]}
          />
        )}
      </Answered>
    </Page>
  )
}

export default ProjectsPage
