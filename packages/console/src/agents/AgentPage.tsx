import { useParams } from "wouter"
import { portico } from "../api/portico.ts"
import { useWhole } from "../api/useWhole.ts"
import { Page } from "../app/Page.tsx"
import { Records } from "../audit/Records.tsx"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { ButtonLink } from "../ui/Button.tsx"
import { Card, Facts, Mono } from "../ui/layout.tsx"
import { Time } from "../ui/Time.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

/** One agent and what it did: its tool calls, and the calls of the API behind them. */
const AgentPage = () => {
  const t = useWords(words)
  const { credential_id = "" } = useParams()
  const answer = useWhole(portico.agents.list, { limit: 1000, include_revoked: true })
  const agent = answer.data?.find((_) => _.credential_id === credential_id)
  return (
    <Page
      title={agent?.label ?? credential_id}
      up={{ href: "/agents", title: t.title }}
      actions={<ButtonLink href={`/credentials/${credential_id}`}>{t.credential}</ButtonLink>}
    >
      <Answered answer={answer}>
        {() =>
          agent === undefined ? (
            <p role="status">{t.notThere}</p>
          ) : (
            <Card title={t.facts}>
              <Facts
                facts={[
                  { label: "ID", value: <Mono>{agent.credential_id}</Mono> },
                  { label: t.state, value: <State state={agent.state} /> },
                  { label: t.tier, value: t.tierOf(agent.tier) },
                  { label: t.calls, value: `${agent.calls} (${agent.refused} ${t.refused})` },
                  { label: t.lastTool, value: agent.last_tool ?? <Time at={null} /> },
                  { label: t.created, value: <Time at={agent.created_at} as="moment" /> },
                  { label: t.expires, value: <Time at={agent.expires_at} /> }
                ]}
              />
            </Card>
          )
        }
      </Answered>
      <Card title={t.did}>
        <Records filters={{ credential_id }} />
      </Card>
    </Page>
  )
}

export default AgentPage
