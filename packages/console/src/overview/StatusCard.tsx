import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { NoticeList } from "../status/NoticeList.tsx"
import { ServiceState } from "../status/ServiceState.tsx"
import { serviceNames } from "../status/words.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card, Row } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

/** Probes find within a minute what no event tells. */
const pace = 60_000

export const StatusCard = () => {
  const t = useWords(words)
  const names = useWords(serviceNames)
  const answer = useAnswer(portico.status.show, {}, { everyMillis: pace })
  return (
    <Card title={t.status} actions={<Link href="/status">{t.services}</Link>}>
      <Answered answer={answer}>
        {({ incidents, maintenance, overall, services }) => {
          const bad = services.filter((_) => _.status !== "ok")
          return (
            <>
              <Row>
                <ServiceState status={overall} />
                {bad.length === 0 && overall === "ok" ? t.allWell : null}
              </Row>
              {bad.map(({ detail, service, status }) => (
                <Row key={service}>
                  <ServiceState status={status} />
                  <span>
                    {names[service]}: {detail}
                  </span>
                </Row>
              ))}
              <NoticeList notices={[...incidents, ...maintenance].slice(0, 3)} />
            </>
          )
        }}
      </Answered>
    </Card>
  )
}
