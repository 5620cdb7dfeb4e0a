import { ArrowUpDown, CirclePause, CirclePlay, Undo2 } from "lucide-react"
import { useParams } from "wouter"
import { useAnswer } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts, Mono } from "../../ui/layout.tsx"
import { Time } from "../../ui/Time.tsx"
import { useDialog } from "../../ui/useDialog.ts"
import { useWords } from "../../words/words.ts"
import { HeldBy, OperatorState } from "../common/OperatorState.tsx"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { DeletionCard } from "./DeletionCard.tsx"
import { DriftCard } from "./DriftCard.tsx"
import { QuotasCard } from "./QuotasCard.tsx"
import { TenantDialogs } from "./TenantDialogs.tsx"
import { type Project, TenantState } from "./tenant.tsx"
import { words } from "./words.ts"

const Actions = ({ project: { deletion, state, suspended } }: { readonly project: Project }) => {
  const t = useWords(words)
  const move = useDialog("move")
  const suspend = useDialog("suspend")
  const resume = useDialog("resume")
  const cancel = useDialog("cancel")
  if (state === "deleting")
    return deletion?.state === "purging" || deletion?.state === "restoring" ? (
      <Button icon={Undo2} onClick={() => cancel.show()}>
        {t.cancelDeletion}
      </Button>
    ) : null
  return (
    <>
      <Button icon={ArrowUpDown} onClick={() => move.show()}>
        {t.move}
      </Button>
      {suspended ? (
        <Button icon={CirclePlay} onClick={() => resume.show()}>
          {t.resume}
        </Button>
      ) : (
        <Button kind="danger" icon={CirclePause} onClick={() => suspend.show()}>
          {t.suspend}
        </Button>
      )}
    </>
  )
}

const About = ({ project }: { readonly project: Project }) => {
  const t = useWords(words)
  const c = useWords(common)
  return (
    <Card>
      <Facts
        facts={[
          { label: c.state, value: <TenantState suspended={project.suspended} /> },
          ...(project.state === "live" ? [] : [{ label: t.deletion, value: <OperatorState state={project.state} /> }]),
          ...(project.closing.length === 0 ? [] : [{ label: t.closing, value: <HeldBy reasons={project.closing} /> }]),
          { label: c.tier, value: project.tier },
          { label: t.slug, value: <Mono>{project.project_name}</Mono> },
          { label: t.projectId, value: <Mono>{project.project_id}</Mono> },
          { label: t.created, value: <Time at={project.created_at} as="moment" /> }
        ]}
      />
    </Card>
  )
}

const TenantPage = () => {
  const t = useWords(words)
  const { project_id = "" } = useParams()
  const known = useAnswer(operator.projects.show, { project_id })
  const isEnding = known.data?.state === "deleting"
  const answer = useAnswer(operator.projects.show, { project_id }, { everyMillis: isEnding ? 2000 : undefined })
  const project = answer.data
  return (
    <Page
      title={project?.name ?? t.tenant}
      up={{ href: "/tenants", title: t.title }}
      actions={project === undefined ? null : <Actions project={project} />}
    >
      <Answered answer={answer}>
        {(found) => (
          <>
            <About project={found} />
            {found.deletion === null ? null : <DeletionCard deletion={found.deletion} />}
            <QuotasCard projectId={project_id} />
            <DriftCard projectId={project_id} />
            <TenantDialogs project={found} />
          </>
        )}
      </Answered>
    </Page>
  )
}

export default TenantPage
