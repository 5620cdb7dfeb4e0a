import { budgetTopic } from "@portico/contract/Events"
import type { BudgetBreached } from "@portico/contract/Money"
import { Billing } from "@portico/upstream/billing/Billing"
import type { Breach } from "@portico/upstream/billing/wire"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Clock, Effect } from "effect"
import { createHash } from "node:crypto"
import { Bus } from "../events/Bus.ts"
import { isoOf, monthBefore, monthOf } from "./months.ts"

/** How many are asked for at once. Those that are marked do not come again. */
const batchSize = 100

/**
 * Tells of every budget that its month has reached, once a budget and month.
 * Any replica may run it at any time: the event's id follows from budget and
 * month, so that the log keeps one however often it is published, and only
 * what was published is marked. The month before is looked at first, because
 * usage of its end may have arrived since.
 */
export const alertBudgets = Effect.gen(function* () {
  const month = monthOf(yield* Clock.currentTimeMillis)
  for (const { name } of [monthBefore(month), month]) yield* alertOf(name)
}).pipe(Effect.withSpan("budgets.alert"))

const alertOf = Effect.fnUntraced(function* (period: string) {
  const { api } = yield* Billing
  if (api === undefined) return
  const bus = yield* Bus
  const told = new Set<string>()
  while (true) {
    const breaches = yield* Effect.catch(api.breaches(period, batchSize), (error) =>
      Effect.as(unheard(period, error), undefined)
    )
    if (breaches === undefined) return
    const fresh = breaches.filter((_) => !told.has(_.budget_id))
    if (fresh.length === 0) return
    const now = isoOf(yield* Clock.currentTimeMillis)
    yield* bus.publish(fresh.map((_) => eventOf(_, now)))
    yield* Effect.forEach(
      fresh,
      (_) => {
        told.add(_.budget_id)
        return Effect.catch(api.markBreached(_.project_id, _.budget_id, period), (error) => unheard(period, error))
      },
      { discard: true }
    )
  }
})

const unheard = (period: string, { sentence }: UpstreamError) =>
  Effect.annotateLogs(Effect.logWarning("breached budgets are looked for again later"), { period, why: sentence })

const eventOf = ({ amount_cents, budget_id, currency, period, project_id, spent_cents }: Breach, at: string) =>
  ({
    id: idOf(budget_id, period),
    topic: budgetTopic,
    kind: "budget.breached",
    at,
    key: budget_id,
    project_id,
    data: { budget_id, period, amount_cents, spent_cents, currency }
  }) satisfies BudgetBreached

/** A UUID (RFC 9562, version 8) that is the same for the same budget and month, wherever it is made. */
const idOf = (budgetId: string, period: string): string => {
  const hash = createHash("sha256").update(`budget.breached ${budgetId} ${period}`).digest("hex")
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32)
  ].join("-")
}
