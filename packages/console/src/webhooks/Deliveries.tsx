import { Send } from "lucide-react"
import { useEffect } from "react"
import { portico } from "../api/portico.ts"
import { outdated } from "../api/queries.ts"
import { useAct } from "../api/useAct.ts"
import { usePages } from "../api/useAnswer.ts"
import { useEvery } from "../api/useEvery.ts"
import { useMe } from "../app/me.ts"
import { onEvent } from "../live/live.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField } from "../ui/form.tsx"
import { Card, Mono, Muted } from "../ui/layout.tsx"
import { RefusalBox } from "../ui/RefusalBox.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { toast } from "../ui/toasts.tsx"
import { useFilter } from "../ui/useFilter.ts"
import { followWork } from "../works/works.ts"
import { useWords } from "../words/words.ts"
import type { Delivery } from "./webhook.ts"
import { words } from "./words.ts"

const states = ["pending", "delivered", "failed"] as const

/** Sends every event that was given up once more, each once. */
const redeliverAll = async (webhook_id: string, report: (count: number) => void): Promise<void> => {
  const events = new Set<string>()
  for await (const { event_id } of portico.webhooks.deliveries.all({ webhook_id, state: "failed" }))
    events.add(event_id)
  let sent = 0
  for (const event_id of events) {
    await portico.webhooks.redeliver({ webhook_id, event_id })
    report((sent += 1))
  }
}

const Attempts = ({ attempts, error }: Delivery) => {
  const t = useWords(words)
  return (
    <ul>
      {attempts.map((_) => (
        <li key={_.at}>
          <Mono>{_.status ?? t.noAnswer}</Mono> <Muted small>{`${_.duration_ms} ms ${_.error ?? ""}`}</Muted>
        </li>
      ))}
      {attempts.length === 0 && error !== null ? <li>{error}</li> : null}
    </ul>
  )
}

/** What was sent, with every attempt and its answer. */
export const Deliveries = ({ webhookId: webhook_id }: { readonly webhookId: string }) => {
  const t = useWords(words)
  const me = useMe()
  const [text, setState] = useFilter("state")
  const state = states.find((_) => _ === text)
  const answer = usePages(portico.webhooks.deliveries, { webhook_id, state, limit: 50 })
  const rows = (answer.data ?? []).flatMap((_) => _.deliveries)
  const { again } = answer
  useEvery(rows.some((_) => _.state === "pending") ? 3000 : undefined, again)
  // An event is on its way to the receiver when it is told here.
  useEffect(() => onEvent(() => void outdated(["webhooks"])), [])
  const redeliver = useAct(portico.webhooks.redeliver, { onDone: () => toast(t.redelivered) })
  const all = () =>
    followWork({
      title: t.redeliverAll,
      href: `/webhooks/${webhook_id}`,
      wait: (report) => redeliverAll(webhook_id, (count) => report(t.redeliveredCount(count))),
      onDone: again
    })
  return (
    <Card title={t.deliveries} actions={me.tier < 1 ? null : <Button onClick={all}>{t.redeliverAll}</Button>}>
      <FilterBar>
        <SelectField
          label={t.state}
          value={state ?? ""}
          onChange={setState}
          choices={[{ value: "", label: t.anyState }, ...states.map((value) => ({ value, label: value }))]}
        />
      </FilterBar>
      <RefusalBox refusal={redeliver.refusal} />
      <Answered answer={answer}>
        {() => (
          <Table
            label={t.deliveries}
            rows={rows}
            keyOf={(_) => _.delivery_id}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            columns={[
              { title: t.when, cell: (_) => <Time at={_.created_at} /> },
              {
                title: t.kind,
                cell: (_) => (
                  <>
                    <Mono>{_.kind}</Mono> {_.redelivery ? <Muted small>{t.redelivery}</Muted> : null}
                  </>
                )
              },
              { title: t.state, cell: (_) => <State state={_.state} /> },
              { title: t.attempts, cell: (_) => <Attempts {..._} /> },
              {
                title: "",
                end: true,
                cell: ({ event_id, state }) =>
                  state === "pending" || me.tier < 1 ? null : (
                    <Button kind="quiet" onClick={() => void redeliver.act({ webhook_id, event_id })}>
                      {t.redeliver}
                    </Button>
                  )
              }
            ]}
            empty={
              <EmptyState icon={Send} title={t.noDeliveries}>
                {t.noDeliveriesText}
              </EmptyState>
            }
          />
        )}
      </Answered>
    </Card>
  )
}
