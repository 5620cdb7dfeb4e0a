import type { Caller } from "@portico/contract/Access"
import { Unprocessable } from "@portico/contract/Failures"
import type { CostBreakdown, CostForecast, CostGrouping } from "@portico/contract/Money"
import type { Span } from "@portico/upstream/billing/Billing"
import { Clock, DateTime, Effect } from "effect"
import { eurosOf } from "./euros.ts"
import { elapsedSeconds, forecastOf } from "./forecast.ts"
import { isoOf, monthNamed, monthOf } from "./months.ts"
import { billingService, refusal } from "./service.ts"
import { tenantOf } from "./tenancy.ts"

/** The period: a month, or a span. Without either, the running month. */
export interface CostQuery {
  readonly project?: string
  readonly group_by: CostGrouping
  readonly period?: string
  readonly start?: string
  readonly end?: string
}

/** The cost of a span up to now, by service or by invoice line (contract, Cost breakdown). */
export const showBreakdown = Effect.fn("cost.breakdown")(function* (caller: Caller, query: CostQuery) {
  const tenant = yield* tenantOf(caller, query.project)
  const span = yield* spanOf(query)
  const billing = yield* billingService
  const { rows, total_cents } = yield* Effect.mapError(
    billing.breakdown(tenant.projectId, { start: span.start, end: span.end, groupBy: query.group_by }),
    refusal
  )
  return {
    currency: "EUR",
    group_by: query.group_by,
    period: { start: isoOf(span.start), end: isoOf(span.end) },
    project_id: tenant.projectId,
    tenant_name: tenant.name,
    total_cents,
    total_eur: eurosOf(total_cents),
    count: rows.length,
    rows: rows.map(({ amount_cents, quantity, service, unit }) => ({
      service,
      unit,
      quantity,
      amount_cents,
      amount_eur: eurosOf(amount_cents),
      currency: "EUR" as const
    }))
  } satisfies CostBreakdown
})

const spanOf = Effect.fnUntraced(function* ({ end, period, start }: CostQuery) {
  if (period !== undefined) {
    if (start !== undefined || end !== undefined) {
      return yield* Unprocessable.costPeriod("Send either period, or start and end")
    }
    return monthNamed(period)
  }
  if (start === undefined && end === undefined) return monthOf(yield* Clock.currentTimeMillis)
  if (start === undefined || end === undefined) return yield* Unprocessable.costPeriod("Send both start and end")
  const span: Span = { start: millisOf(start), end: millisOf(end) }
  if (span.start >= span.end) return yield* Unprocessable.costPeriod("The end must be later than the start")
  return span
})

/** A date without a time means its first moment in UTC. */
const millisOf = (text: string): number =>
  DateTime.toEpochMillis(DateTime.makeUnsafe(text.length === 10 ? `${text}T00:00:00Z` : text))

/** The forecast for the running month, see {@link forecastOf}. */
export const showForecast = Effect.fn("cost.forecast")(function* (caller: Caller, override: string | undefined) {
  const tenant = yield* tenantOf(caller, override)
  const billing = yield* billingService
  const now = yield* Clock.currentTimeMillis
  // The spend up to the same whole second that the forecast counts to.
  const at = monthOf(now).start + elapsedSeconds(now) * 1000
  const { total_cents } = yield* Effect.mapError(billing.monthToDate(tenant.projectId, at), refusal)
  return {
    ...forecastOf(total_cents, at),
    project_id: tenant.projectId,
    tenant_name: tenant.name
  } satisfies CostForecast
})
