import { Megaphone } from "lucide-react"
import { ActDialog } from "../../api/ActDialog.tsx"
import { useAnswer } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Card, Muted, Row } from "../../ui/layout.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { ServiceState } from "../../status/ServiceState.tsx"
import { serviceNames, words as statusWords } from "../../status/words.ts"
import { useDialog } from "../../ui/useDialog.ts"
import { useWords } from "../../words/words.ts"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { words } from "../words.ts"
import { PublishDialog } from "./PublishDialog.tsx"

type Status = Awaited<ReturnType<typeof operator.status.show>>
type Notice = Status["incidents"][number]

const NoticeCard = ({ notice }: { readonly notice: Notice }) => {
  const t = useWords(words)
  const severities = useWords(statusWords)
  const names = useWords(serviceNames)
  const remove = useDialog("remove")
  const { ends_at, incident_id, kind, message, services, severity, starts_at, title } = notice
  return (
    <Card
      title={title}
      actions={
        <Button kind="danger" onClick={() => remove.show(incident_id)}>
          {t.remove}
        </Button>
      }
    >
      <Row>
        <Badge tone={kind === "incident" ? "bad" : "warn"}>{kind === "incident" ? t.incident : t.maintenance}</Badge>
        <Badge>{severities[severity]}</Badge>
        <Muted>{services.length === 0 ? t.wholePlatform : services.map((_) => names[_]).join(", ")}</Muted>
      </Row>
      {message === "" ? null : <p>{message}</p>}
      <Muted small>
        <Time at={starts_at} as="moment" /> – {ends_at === null ? t.untilRemoved : <Time at={ends_at} as="moment" />}
      </Muted>
    </Card>
  )
}

const Services = ({ services }: { readonly services: Status["services"] }) => {
  const t = useWords(words)
  const c = useWords(common)
  const names = useWords(serviceNames)
  const columns: ReadonlyArray<Column<Status["services"][number]>> = [
    { title: t.services, cell: (_) => names[_.service] },
    { title: c.state, cell: (_) => <ServiceState status={_.status} /> },
    {
      title: t.message_,
      cell: ({ detail, probe }) => (
        <>
          {detail} <Muted small>{probe}</Muted>
        </>
      )
    }
  ]
  return <Table label={t.services} columns={columns} rows={services} keyOf={(_) => _.service} empty={null} />
}

const IncidentsPage = () => {
  const t = useWords(words)
  const publish = useDialog("publish")
  const remove = useDialog("remove")
  const answer = useAnswer(operator.status.show, {}, { everyMillis: 15_000 })
  const notices = [...(answer.data?.incidents ?? []), ...(answer.data?.maintenance ?? [])]
  const removed = notices.find((_) => _.incident_id === remove.of)
  const button = (
    <Button kind="primary" icon={Megaphone} onClick={() => publish.show()}>
      {t.publish}
    </Button>
  )
  return (
    <Page title={t.incidents} about={t.incidentsAbout} actions={button}>
      <Answered answer={answer}>
        {({ services }) => (
          <>
            {notices.length === 0 ? (
              <EmptyState icon={Megaphone} title={t.noIncidents} action={button}>
                {t.noIncidentsText}
              </EmptyState>
            ) : (
              notices.map((_) => <NoticeCard key={_.incident_id} notice={_} />)
            )}
            <Services services={services} />
          </>
        )}
      </Answered>
      <PublishDialog />
      <ActDialog
        dialog="remove"
        write={operator.incidents.remove}
        input={{ incident_id: remove.of }}
        title={t.removeTitle(removed?.title ?? "")}
        verb={t.remove}
        done={t.removed}
        enabled={removed !== undefined}
        touches={["status", "monitoring"]}
      >
        {t.removeText}
      </ActDialog>
    </Page>
  )
}

export default IncidentsPage
