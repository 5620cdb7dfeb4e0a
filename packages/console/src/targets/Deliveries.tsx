import { Send } from "lucide-react"
import { groupOf, outdated } from "../api/queries.ts"
import { usePages } from "../api/useAnswer.ts"
import { useEvery } from "../api/useEvery.ts"
import { useMe } from "../app/me.ts"
import { Answered } from "../ui/Answered.tsx"
import { State } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { EmptyState } from "../ui/EmptyState.tsx"
import { FilterBar, SelectField } from "../ui/form.tsx"
import { Card, Mono, Muted } from "../ui/layout.tsx"
import { useStateName } from "../ui/states.ts"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useDialog } from "../ui/useDialog.ts"
import { useFilter } from "../ui/useFilter.ts"
import { useWords } from "../words/words.ts"
import { followWork } from "../works/works.ts"
import { Attempts, DeliveryDialog } from "./DeliveryDialog.tsx"
import type { DeliveryOperations } from "./Resource.ts"
import type { Delivery } from "./target.ts"
import { words } from "./words.ts"

/** Sends every event that was given up once more, each once. */
const redeliverAll = async <Id,>(
  { deliveries, redeliver }: DeliveryOperations<Id>,
  of: Id,
  report: (count: number) => void
): Promise<void> => {
  const events = new Set<string>()
  for await (const { event_id } of deliveries.all({ ...of, state: "failed" })) events.add(event_id)
  let sent = 0
  for (const event_id of events) {
    await redeliver({ ...of, event_id })
    report((sent += 1))
  }
}

const states = ["pending", "delivered", "failed"] as const

const useColumns = (): ReadonlyArray<Column<Delivery>> => {
  const t = useWords(words)
  const details = useDialog("delivery")
  return [
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
    { title: t.attempts, cell: (_) => <Attempts delivery={_} /> },
    {
      title: "",
      end: true,
      cell: (_) => (
        <Button kind="quiet" onClick={() => details.show(_.delivery_id)}>
          {t.details}
        </Button>
      )
    }
  ]
}

/** The list, filtered by the state in the address, and read again while something waits. */
const useDeliveries = <Id extends object>({ deliveries }: DeliveryOperations<Id>, of: Id) => {
  const [text, setState] = useFilter("state")
  const state = states.find((_) => _ === text)
  const answer = usePages(deliveries, { ...of, state, limit: 50 })
  const rows = (answer.data ?? []).flatMap((_) => _.deliveries)
  const group = groupOf(deliveries.operation)
  // What is delivered or not changes the state of the target too.
  // Deliveries are made after their event is told, and nothing tells of them.
  useEvery(rows.some((_) => _.state === "pending") ? 2000 : 5000, () => void outdated([group]))
  return { answer, rows, state, setState }
}

interface DeliveriesProps<Id> {
  readonly of: Id
  readonly href: string
  readonly operations: DeliveryOperations<Id>
}

/** What was sent, with every attempt and its answer. */
export const Deliveries = <Id extends object>({ href, of, operations }: DeliveriesProps<Id>) => {
  const t = useWords(words)
  const stateName = useStateName()
  const { tier } = useMe()
  const details = useDialog("delivery")
  const { answer, rows, setState, state } = useDeliveries(operations, of)
  const columns = useColumns()
  const shown = details.open ? rows.find((_) => _.delivery_id === details.of) : undefined
  const all = () =>
    followWork({
      title: t.redeliverAll,
      href,
      wait: (report) => redeliverAll(operations, of, (count) => report(t.redeliveredCount(count))),
      onDone: answer.again
    })
  const hasFailed = rows.some((_) => _.state === "failed")
  return (
    <Card
      title={t.deliveries}
      actions={tier < 1 || !hasFailed ? null : <Button onClick={all}>{t.redeliverAll}</Button>}
    >
      <FilterBar>
        <SelectField
          label={t.state}
          value={state ?? ""}
          onChange={setState}
          choices={[{ value: "", label: t.anyState }, ...states.map((value) => ({ value, label: stateName(value) }))]}
        />
      </FilterBar>
      <Answered answer={answer}>
        {() => (
          <Table
            label={t.deliveries}
            rows={rows}
            keyOf={(_) => _.delivery_id}
            hasMore={answer.hasMore}
            more={answer.more}
            loadingMore={answer.loadingMore}
            columns={columns}
            empty={
              <EmptyState icon={Send} title={t.noDeliveries}>
                {t.noDeliveriesText}
              </EmptyState>
            }
          />
        )}
      </Answered>
      {shown === undefined ? null : (
        <DeliveryDialog of={of} operations={operations} delivery={shown} onClose={details.close} />
      )}
    </Card>
  )
}
