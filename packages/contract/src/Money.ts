import { Effect, Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authenticated, BillingAccess, Validated, WellFormed, WithoutTenant } from "./Access.ts"
import { budgetTopic, Event } from "./Events.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"
import { pageFields, pageQuery } from "./Page.ts"

/** The only currency. */
export const Currency = Schema.Literal("EUR")

/** Whole cents; 100 of them are one euro. */
const Cents = Schema.Int
/** Cents divided by 100, for display. Sums and comparisons use cents. */
const Euros = Schema.Finite
/** A decimal number as text, without loss of precision. */
const Decimal = Schema.String

/** A calendar month in UTC, such as `2026-01`. */
export const Month = Schema.String.check(
  Schema.isPattern(/^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/, { expected: "a month such as 2026-01" })
)

const spelling = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?Z)?$/

/** A moment in UTC, or a date, which means its first moment. */
const Moment = Schema.String.check(
  Schema.isPattern(spelling, { expected: "a day such as 2026-01-31 or a moment such as 2026-01-31T12:00:00Z" }),
  Schema.makeFilter((text: string) => !spelling.test(text) || isInCalendar(text), {
    expected: "a day or a moment that the calendar has"
  })
)

/** Rejects dates that a lenient parser accepts, such as 30 February or an hour 25. */
const isInCalendar = (text: string): boolean => {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text.slice(0, 19).replace(/Z$/, ""))
}

/** Half-open: `start` is in it, `end` is not. ISO 8601 in UTC. */
const Period = Schema.Struct({ start: Schema.String, end: Schema.String }).annotate({ identifier: "CostPeriod" })

const tenant = { project_id: Schema.String, tenant_name: Schema.String }

/** `service`: one row per service and unit. `line`: one row per invoice line, with its key as the service. */
export const CostGrouping = Schema.Literals(["service", "line"])
export type CostGrouping = typeof CostGrouping.Type

export const CostRow = Schema.Struct({
  service: Schema.String,
  unit: Schema.String,
  quantity: Decimal,
  amount_cents: Cents,
  amount_eur: Euros,
  currency: Currency
}).annotate({ identifier: "CostRow" })
export type CostRow = typeof CostRow.Type

export const CostBreakdown = Schema.Struct({
  currency: Currency,
  group_by: CostGrouping,
  period: Period,
  ...tenant,
  total_cents: Cents,
  total_eur: Euros,
  count: Schema.Int,
  rows: Schema.Array(CostRow)
}).annotate({ identifier: "CostBreakdown" })
export type CostBreakdown = typeof CostBreakdown.Type

/** The forecast for the running month. */
export const CostForecast = Schema.Struct({
  currency: Currency,
  period: Period,
  period_seconds: Schema.Int,
  elapsed_seconds: Schema.Int,
  month_to_date_cents: Cents,
  month_to_date_eur: Euros,
  forecast_cents: Cents,
  forecast_eur: Euros,
  method: Schema.Literal("linear-run-rate"),
  method_detail: Schema.String,
  ...tenant
}).annotate({ identifier: "CostForecast" })
export type CostForecast = typeof CostForecast.Type

export const BudgetPeriod = Schema.Literal("monthly")

export const BudgetRequest = Schema.Struct({
  amount_cents: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  period: BudgetPeriod.pipe(Schema.withDecodingDefaultKey(Effect.succeed("monthly" as const)))
}).annotate({ identifier: "BudgetRequest" })
export type BudgetRequest = typeof BudgetRequest.Type

export const Budget = Schema.Struct({
  budget_id: Schema.String,
  amount_cents: Cents,
  currency: Currency,
  period: BudgetPeriod,
  ...tenant,
  created_at: Schema.String,
  created_by: Schema.String,
  /** The last month whose spend reached the amount. */
  last_breached_period: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Budget" })
export type Budget = typeof Budget.Type

export const InvoiceStatus = Schema.Literals(["draft", "finalized", "paid", "void"])

export const InvoiceLine = Schema.Struct({
  key: Schema.String,
  description: Schema.String,
  quantity: Decimal,
  unit: Schema.String,
  unit_price_eur: Decimal,
  amount_cents: Cents,
  amount_eur: Euros
}).annotate({ identifier: "InvoiceLine" })
export type InvoiceLine = typeof InvoiceLine.Type

export const InvoiceEvent = Schema.Struct({
  event: Schema.String,
  detail: Schema.String,
  ts: Schema.String
}).annotate({ identifier: "InvoiceEvent" })

export const Invoice = Schema.Struct({
  invoice_id: Schema.String,
  ...tenant,
  status: InvoiceStatus,
  currency: Currency,
  total_cents: Cents,
  period_start: Schema.String,
  period_end: Schema.String,
  created_at: Schema.String,
  created_by: Schema.String,
  customer_email: Schema.NullOr(Schema.String),
  history: Schema.Array(InvoiceEvent),
  lines: Schema.Array(InvoiceLine),
  /** The events of the invoice that trigger a notification. */
  notify_events: Schema.Array(Schema.String),
  /** The ids of the tenant and the invoice at the payment provider; null without one. */
  external_customer_id: Schema.NullOr(Schema.String),
  external_invoice_id: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Invoice" })
export type Invoice = typeof Invoice.Type

// --- events -----------------------------------------------------------------------

/** A month's spend reached a budget. Published once a budget and month: the id follows from the two. */
export const BudgetBreached = Event.mapFields(
  Struct.assign({
    topic: Schema.Literal(budgetTopic),
    kind: Schema.Literal("budget.breached"),
    data: Schema.Struct({
      budget_id: Schema.String,
      /** The month, such as `2026-01`. */
      period: Month,
      amount_cents: Cents,
      /** The spend when the breach was noticed; it may have grown since. */
      spent_cents: Cents,
      currency: Currency
    })
  })
).annotate({ identifier: "BudgetBreached" })
export type BudgetBreached = typeof BudgetBreached.Type

// --- routes -----------------------------------------------------------------------

/** `?project=` is for platform administrators, who have no tenant. */
const project = { project: Schema.optionalKey(Schema.String) }

/**
 * Both planes. A tenant sees its own data. A platform administrator names a
 * tenant with `?project=`, and on the operator plane lists those of all tenants
 * without it.
 */
export class Money extends HttpApiGroup.make("money")
  .add(
    HttpApiEndpoint.get("breakdown", "/cost/breakdown", {
      query: {
        ...project,
        group_by: CostGrouping.pipe(Schema.withDecodingDefaultKey(Effect.succeed("service" as const))),
        period: Schema.optionalKey(Month),
        start: Schema.optionalKey(Moment),
        end: Schema.optionalKey(Moment)
      },
      success: CostBreakdown,
      error: failures(
        "billing_conflict",
        "billing_refused",
        "cost_period_refused",
        "project_override_refused",
        "service_not_found",
        "tenant_not_found",
        "tenant_required",
        "upstream_failed"
      )
    }),
    HttpApiEndpoint.get("forecast", "/cost/forecast", {
      query: project,
      success: CostForecast,
      error: failures(
        "billing_conflict",
        "billing_refused",
        "project_override_refused",
        "service_not_found",
        "tenant_not_found",
        "tenant_required",
        "upstream_failed"
      )
    }),
    HttpApiEndpoint.get("budgets", "/budgets", {
      query: { ...project, ...pageQuery },
      success: Schema.Struct({ ...pageFields, budgets: Schema.Array(Budget) }).annotate({ identifier: "BudgetList" }),
      error: failures(
        "billing_conflict",
        "billing_refused",
        "project_override_refused",
        "service_not_found",
        "tenant_not_found",
        "tenant_required",
        "upstream_failed"
      )
    }),
    HttpApiEndpoint.post("createBudget", "/budgets", {
      query: project,
      payload: BudgetRequest,
      success: Budget.pipe(HttpApiSchema.status(201)),
      error: failures(
        "billing_conflict",
        "billing_refused",
        "project_override_refused",
        "service_not_found",
        "tenant_not_found",
        "tenant_required",
        "upstream_failed"
      )
    }).middleware(Creates),
    HttpApiEndpoint.delete("removeBudget", "/budgets/:budget_id", {
      params: { budget_id: Schema.String },
      query: project,
      success: Budget,
      error: failures(
        "billing_conflict",
        "billing_refused",
        "budget_not_found",
        "project_override_refused",
        "service_not_found",
        "tenant_not_found",
        "tenant_required",
        "upstream_failed"
      )
    }),
    HttpApiEndpoint.get("invoices", "/invoices", {
      query: { ...project, ...pageQuery },
      success: Schema.Struct({ ...pageFields, invoices: Schema.Array(Invoice) }).annotate({
        identifier: "InvoiceList"
      }),
      error: failures(
        "billing_conflict",
        "billing_refused",
        "project_override_refused",
        "service_not_found",
        "tenant_not_found",
        "tenant_required",
        "upstream_failed"
      )
    })
  )
  // These endpoints decide for themselves: `?project=` gets the same refusal whatever caller sends it.
  .annotateEndpoints(WithoutTenant, true)
  .middleware(WellFormed)
  .middleware(BillingAccess)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
