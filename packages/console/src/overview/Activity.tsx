import { Link } from "wouter"
import { portico } from "../api/portico.ts"
import { useAnswer } from "../api/useAnswer.ts"
import { useMe } from "../app/me.ts"
import { Answered } from "../ui/Answered.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card, Mono, Muted } from "../ui/layout.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

type Entry = Awaited<ReturnType<typeof portico.audit.list>>["records"][number]

/** The last calls that changed something, or tried to. Events of the audit make the list move by itself. */
export const Activity = () => {
  const t = useWords(words)
  const answer = useAnswer(portico.audit.list, { limit: 10 })
  return (
    <Card title={t.activity} actions={<Link href="/audit">{t.wholeAudit}</Link>}>
      <Answered answer={answer}>
        {({ records }) => (
          <Table
            label={t.activity}
            rows={records}
            keyOf={(_) => _.id}
            empty={<Muted>{t.noActivity}</Muted>}
            columns={[
              { title: t.when, cell: (_) => <Time at={_.at} /> },
              { title: t.what, cell: (_) => <What entry={_} /> },
              { title: t.result, cell: (_) => <Result status={_.status} /> },
              { title: t.who, cell: (_) => <Who entry={_} /> }
            ]}
          />
        )}
      </Answered>
    </Card>
  )
}

const What = ({ entry }: { readonly entry: Entry }) => (
  <Link href={`/audit?dialog=record&of=${encodeURIComponent(entry.id)}`}>
    <Mono>{[entry.tool, entry.method, entry.route].filter((_) => _ !== null).join(" ")}</Mono>
  </Link>
)

const Result = ({ status }: Pick<Entry, "status">) => {
  const t = useWords(words)
  if (status === null) return <Badge>{t.unanswered}</Badge>
  return <Badge tone={status < 400 ? "good" : status < 500 ? "warn" : "bad"}>{status}</Badge>
}

const Who = ({ entry }: { readonly entry: Entry }) => {
  const t = useWords(words)
  const me = useMe()
  if (entry.user_id === me.user_id) return t.you
  const known: Readonly<Record<string, string>> = {
    person: t.person,
    key: t.key,
    agent: t.agent,
    workload: t.workload,
    operator: t.operator
  }
  return (
    <>
      {known[entry.actor] ?? entry.actor}
      <br />
      <Muted small>
        {entry.credential_id?.startsWith("cred-") !== true ? (
          <Mono>{entry.credential_id ?? entry.user_id}</Mono>
        ) : (
          <Link href={`/credentials/${entry.credential_id}`}>
            <Mono>{entry.credential_id}</Mono>
          </Link>
        )}
      </Muted>
    </>
  )
}
