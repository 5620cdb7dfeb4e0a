import { budgetTopic } from "@portico/contract/Events"
import type { BudgetBreached } from "@portico/contract/Money"
import { Billing } from "@portico/upstream/billing/Billing"
import type { Breach } from "@portico/upstream/billing/wire"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Clock, Effect } from "effect"
import { Bus } from "../events/Bus.ts"
import { eventIdOf } from "../events/eventId.ts"
import { isoOf, monthBefore, monthOf } from "./months.ts"

/** How many breaches one call reads. The billing service does not return a breach again once it is marked. */
const batchSize = 100

/** The marks of a batch that are under way at once: the last budget of a batch must not wait for all before it. */
const marksAtOnce = 8

/**
 * Publishes an event for every budget that its month's spend has reached, once
 * a budget and month.
 *
 * Any replica may run it at any time. The event's id follows from budget and
 * month, so the log keeps one event however often it is published. A breach is
 * marked only after its event is published. The previous month is checked
 * first, because usage of its end may have arrived since.
 */
export const alertBudgets = Effect.gen(function* () {
  const month = monthOf(yield* Clock.currentTimeMillis)
  for (const { name } of [monthBefore(month), month]) yield* alertOf(name)
}).pipe(Effect.withSpan("budgets.alert"))

const alertOf = Effect.fnUntraced(function* (period: string) {
  const { api } = yield* Billing
  if (api === undefined) return
  const bus = yield* Bus
  const published = new Set<string>()
  while (true) {
    const breaches = yield* Effect.catch(api.breaches(period, batchSize), (error) =>
      Effect.as(logRetry(period, error), undefined)
    )
    if (breaches === undefined) return
    const fresh = breaches.filter((_) => !published.has(_.budget_id))
    if (fresh.length === 0) return
    const now = isoOf(yield* Clock.currentTimeMillis)
    yield* bus.publish(fresh.map((_) => eventOf(_, now)))
    yield* Effect.forEach(
      fresh,
      (_) => {
        published.add(_.budget_id)
        return Effect.catch(api.markBreached(_.project_id, _.budget_id, period), (error) => logRetry(period, error))
      },
      { concurrency: marksAtOnce, discard: true }
    )
  }
})

const logRetry = (period: string, { summary }: UpstreamError) =>
  Effect.annotateLogs(Effect.logWarning("breached budgets could not be read or marked; the next run retries"), {
    period,
    why: summary
  })

const eventOf = ({ amount_cents, budget_id, currency, period, project_id, spent_cents }: Breach, at: string) =>
  ({
    id: eventIdOf(`budget.breached ${budget_id} ${period}`),
    topic: budgetTopic,
    kind: "budget.breached",
    at,
    key: budget_id,
    project_id,
    data: { budget_id, period, amount_cents, spent_cents, currency }
  }) satisfies BudgetBreached
