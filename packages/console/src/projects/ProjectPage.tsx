import { useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useUntilSettled } from "../api/useUntilSettled.ts"
import { hasRole, useMe } from "../app/me.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card, Facts, Mono, Stack } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useWords } from "../words/words.ts"
import { DeletionCard } from "./DeletionCard.tsx"
import { type ProjectDetail, ProjectState } from "./project.tsx"
import { ContentsCard } from "./ContentsCard.tsx"
import { RemoveProjectDialog } from "./RemoveProjectDialog.tsx"
import { words } from "./words.ts"

const ProjectPage = () => {
  const t = useWords(words)
  const me = useMe()
  const { project_id = "" } = useParams()
  const answer = useUntilSettled(portico.projects.show, { project_id }, (_) => _.state === "deleting")
  const remove = useDialog("delete")
  const project = answer.data
  const mayRemove = hasRole(me, "customer-owner")
  return (
    <Page
      title={project === undefined ? t.project : project.name === "" ? project.project_name : project.name}
      up={{ href: "/projects", title: t.projects }}
      actions={
        project?.state !== "live" ? null : (
          <Button
            kind="danger"
            disabled={!mayRemove}
            title={mayRemove ? undefined : t.ownerOnly}
            onClick={() => remove.show()}
          >
            {t.remove}
          </Button>
        )
      }
    >
      <Answered answer={answer}>{(_) => <Shown project={_} />}</Answered>
    </Page>
  )
}

const Shown = ({ project }: { readonly project: ProjectDetail }) => {
  const t = useWords(words)
  const reasons: Readonly<Record<string, string>> = {
    project_deletion: t.project_deletion,
    account_closure: t.account_closure
  }
  return (
    <Stack>
      <Card title={t.facts}>
        <Facts
          facts={[
            { label: t.state, value: <ProjectState state={project.state} suspended={project.suspended} /> },
            ...(project.closing.length === 0
              ? []
              : [{ label: t.why, value: project.closing.map((_) => reasons[_] ?? _).join(", ") }]),
            { label: t.tier, value: project.tier },
            { label: t.platformName, value: project.project_name },
            { label: "ID", value: <Mono>{project.project_id}</Mono> },
            { label: t.created, value: <Time at={project.created_at} as="moment" /> }
          ]}
        />
      </Card>
      {project.deletion === null ? null : <DeletionCard deletion={project.deletion} />}
      {project.state === "live" ? <ContentsCard projectId={project.project_id} /> : null}
      <RemoveProjectDialog project={project} />
    </Stack>
  )
}

export default ProjectPage
