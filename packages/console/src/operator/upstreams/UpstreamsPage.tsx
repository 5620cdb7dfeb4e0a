import { Plug } from "lucide-react"
import { useAnswer } from "../../api/useAnswer.ts"
import { Page } from "../../app/Page.tsx"
import { Answered } from "../../ui/Answered.tsx"
import { Button } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Card, Muted, Row } from "../../ui/layout.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { useFormats } from "../../words/formats.ts"
import { useWords } from "../../words/words.ts"
import { OperatorState } from "../common/OperatorState.tsx"
import { words as common } from "../common/words.ts"
import { operator } from "../portico.ts"
import { words } from "../words.ts"

type Upstream = Awaited<ReturnType<typeof operator.monitoring.upstreams>>["upstreams"][number]

const useColumns = (): ReadonlyArray<Column<Upstream>> => {
  const t = useWords(words)
  const c = useWords(common)
  const { number } = useFormats()
  const milliseconds = (value: number | null) => (value === null ? "–" : `${number(value)}\u00A0ms`)
  return [
    { title: t.upstream, cell: (_) => _.upstream, sort: (_) => _.upstream },
    {
      title: c.state,
      sort: (_) => _.state ?? "",
      cell: ({ message, state }) => (
        <>
          {state === null ? <Muted>{t.notProbed}</Muted> : <OperatorState state={state} />}
          {message === null ? null : <p>{message}</p>}
        </>
      )
    },
    { title: t.since, cell: (_) => (_.since === null ? "–" : <Time at={_.since} />) },
    { title: t.calls, end: true, cell: (_) => number(_.calls), sort: (_) => _.calls },
    {
      title: t.failedCalls,
      end: true,
      sort: (_) => _.failed_percent ?? 0,
      cell: (_) => (_.failed_percent === null ? "–" : `${number(_.failed)} · ${number(_.failed_percent)}\u00A0%`)
    },
    { title: t.half, end: true, cell: (_) => milliseconds(_.p50_ms), sort: (_) => _.p50_ms ?? 0 },
    { title: t.most, end: true, cell: (_) => milliseconds(_.p95_ms), sort: (_) => _.p95_ms ?? 0 },
    {
      title: t.lastFailure,
      cell: ({ last_failure }) =>
        last_failure === null ? (
          "–"
        ) : (
          <>
            <Time at={last_failure.at} /> <Muted small>{`${last_failure.call} ${last_failure.status ?? ""}`}</Muted>
          </>
        )
    }
  ]
}

const Readiness = () => {
  const t = useWords(words)
  const answer = useAnswer(operator.health.ready, {}, { everyMillis: 5000 })
  return (
    <Card title={t.readiness}>
      <Answered answer={answer}>
        {({ components = {}, status }) => (
          <>
            <Row>
              <OperatorState state={status} />
              {Object.entries(components).map(([name, { state }]) => (
                <span key={name}>
                  {name} <OperatorState state={state} />
                </span>
              ))}
            </Row>
            {Object.entries(components).flatMap(([name, { warnings }]) =>
              warnings.map((warning) => (
                <p key={`${name} ${warning}`}>
                  {t.warnings} · {name}: {warning}
                </p>
              ))
            )}
          </>
        )}
      </Answered>
    </Card>
  )
}

const UpstreamsPage = () => {
  const t = useWords(words)
  const { number } = useFormats()
  const answer = useAnswer(operator.monitoring.upstreams, {}, { everyMillis: 5000 })
  const columns = useColumns()
  return (
    <Page title={t.upstreams} about={t.upstreamsAbout(number((answer.data?.window_seconds ?? 300) / 60))}>
      <Readiness />
      <Answered answer={answer}>
        {({ upstreams }) => (
          <Table
            label={t.upstreams}
            columns={columns}
            rows={upstreams}
            keyOf={(_) => _.upstream}
            empty={
              <EmptyState
                icon={Plug}
                title={t.upstreams}
                action={<Button onClick={answer.again}>{t.readiness}</Button>}
              >
                {t.notProbed}
              </EmptyState>
            }
          />
        )}
      </Answered>
    </Page>
  )
}

export default UpstreamsPage
