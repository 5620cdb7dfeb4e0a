import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { Page } from "../app/Page.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Card, Muted, Row, Stack } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useWords } from "../words/words.ts"
import { NoticeList } from "./NoticeList.tsx"
import { ServiceState, type StatusDocument } from "./ServiceState.tsx"
import { serviceNames, words } from "./words.ts"

/** Probes find within a minute what no event tells. */
const pace = 10_000

/** What the gateway says of a service that nothing is known against. */
const normal = "Operating normally."

const StatusPage = () => {
  const t = useWords(words)
  const answer = useAnswer(portico.status.show, {}, { everyMillis: pace })
  return (
    <Page title={t.title} about={t.about}>
      <Answered answer={answer}>{(document) => <Shown document={document} />}</Answered>
    </Page>
  )
}

const Shown = ({ document }: { readonly document: StatusDocument }) => {
  const t = useWords(words)
  const names = useWords(serviceNames)
  const { generated_at, incidents, maintenance, overall, services } = document
  return (
    <Stack>
      <Row spread>
        <Row>
          <strong>{t.overall}</strong>
          <ServiceState status={overall} />
        </Row>
        <Muted small>
          {t.asOf} <Time at={generated_at} as="moment" />
        </Muted>
      </Row>
      <Card title={t.incidents}>
        {incidents.length === 0 ? <Muted>{t.noIncidents}</Muted> : <NoticeList notices={incidents} />}
      </Card>
      <Card title={t.maintenance}>
        {maintenance.length === 0 ? <Muted>{t.noMaintenance}</Muted> : <NoticeList notices={maintenance} />}
      </Card>
      <Table
        label={t.title}
        rows={services}
        keyOf={(_) => _.service}
        empty={null}
        columns={[
          { title: t.service, cell: (_) => names[_.service] },
          { title: t.state, cell: (_) => <ServiceState status={_.status} /> },
          { title: t.detail, cell: (_) => (_.detail === normal ? t.normal : _.detail) }
        ]}
      />
    </Stack>
  )
}

export default StatusPage
