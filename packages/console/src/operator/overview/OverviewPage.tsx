import { Link } from "wouter"
import { useAnswer } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Card, Row, Stack } from "../../ui/layout.tsx"
import { ServiceState } from "../../status/ServiceState.tsx"
import { serviceNames } from "../../status/words.ts"
import { useWords } from "../../words/words.ts"
import { SellableMeters } from "../capacity/SellableMeters.tsx"
import { operator } from "../portico.ts"
import { Counts } from "./Counts.tsx"
import { Waiting } from "./Waiting.tsx"
import { words } from "./words.ts"

const OverviewPage = () => {
  const t = useWords(words)
  const names = useWords(serviceNames)
  const overview = useAnswer(operator.monitoring.overview, {}, { everyMillis: 15_000 })
  const capacity = useAnswer(operator.signups.capacity, {})
  return (
    <Page title={t.title} about={t.about}>
      <Waiting />
      <Answered answer={overview}>
        {(platform) => (
          <Stack>
            <Counts platform={platform} />
            <Card title={t.services}>
              <Row>
                {platform.services.map(({ service, status }) => (
                  <Link key={service} href="/incidents">
                    {names[service]} <ServiceState status={status} />
                  </Link>
                ))}
              </Row>
            </Card>
          </Stack>
        )}
      </Answered>
      <Card title={t.capacity} actions={<Link href="/capacity">{t.more}</Link>}>
        <Answered answer={capacity}>{(_) => <SellableMeters capacity={_} />}</Answered>
      </Card>
    </Page>
  )
}

export default OverviewPage
