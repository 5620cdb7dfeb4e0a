import { Effect, Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { BillingAccess, Validated, WellFormed, WithoutTenant } from "./Access.ts"
import { described, meanings, titled } from "./describe.ts"
import { budgetTopic, Event } from "./Events.ts"
import { failures, overrideCodes } from "./Failures.ts"
import { authenticated } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { pageList, pageQuery } from "./Page.ts"

export const Currency = Schema.Literal("EUR").annotate({ description: "The currency of the amounts: always `EUR`." })

/** Whole cents; 100 of them are one euro. */
const Cents = Schema.Int
/** Cents divided by 100, for display. Sums and comparisons use cents. */
const Euros = Schema.Finite
/** A decimal number as text, without loss of precision. */
const Decimal = Schema.String

const euros = (of: string) =>
  Euros.annotateKey({ description: `\`${of}\` in euros, for display: the cents divided by 100.` })

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

const Period = Schema.Struct({
  start: Schema.String.annotateKey({ description: "The first moment of the period, RFC 3339, UTC." }),
  end: Schema.String.annotateKey({ description: "The moment after the period, RFC 3339, UTC." })
}).annotate({ identifier: "CostPeriod", description: "A period: `start` is in it, `end` is not." })

const tenant = {
  project_id: Schema.String.annotateKey({ description: "The project of the tenant." }),
  tenant_name: Schema.String.annotateKey({ description: "The name of the tenant." })
}

export const CostGrouping = meanings("How the rows are grouped; `service` when absent.", {
  service: "One row for each service and unit.",
  line: "One row for each invoice line, with its key as the service, such as `compute.m1.large`."
})
export type CostGrouping = typeof CostGrouping.Type

export const CostRow = Schema.Struct({
  service: Schema.String.annotateKey({
    description:
      "The service, such as `compute`; with `group_by=line` the key of the invoice line, such as `compute.m1.large`."
  }),
  unit: Schema.String.annotateKey({ description: "The unit of `quantity`, as the billing service names it." }),
  quantity: Decimal.annotateKey({ description: "The usage in `unit`, a decimal number as text." }),
  amount_cents: Cents.annotateKey({ description: "The cost of the usage, in whole cents." }),
  amount_eur: euros("amount_cents"),
  currency: Currency
}).annotate({ identifier: "CostRow", description: "The cost of one service or invoice line." })
export type CostRow = typeof CostRow.Type

export const CostBreakdown = Schema.Struct({
  currency: Currency,
  group_by: CostGrouping.annotateKey({ description: "The grouping of the rows, as the request had it." }),
  period: Period.annotateKey({ description: "The period that the costs are of." }),
  ...tenant,
  total_cents: Cents.annotateKey({ description: "The sum of all rows, in whole cents." }),
  total_eur: euros("total_cents"),
  count: Schema.Int.annotateKey({ description: "The number of rows; the list is complete." }),
  rows: Schema.Array(CostRow).annotateKey({ description: "The costs, one row for each group." })
}).annotate({ identifier: "CostBreakdown", description: "The costs of a period, by service or by invoice line." })
export type CostBreakdown = typeof CostBreakdown.Type

export const CostForecast = Schema.Struct({
  currency: Currency,
  period: Period.annotateKey({ description: "The running month in UTC." }),
  period_seconds: Schema.Int.annotateKey({ description: "The seconds of the month." }),
  elapsed_seconds: Schema.Int.annotateKey({ description: "The seconds of the month that have passed." }),
  month_to_date_cents: Cents.annotateKey({ description: "The cost of the month until now, in whole cents." }),
  month_to_date_eur: euros("month_to_date_cents"),
  forecast_cents: Cents.annotateKey({
    description: "The expected cost of the whole month, in whole cents, rounded once, half to even."
  }),
  forecast_eur: euros("forecast_cents"),
  method: Schema.Literal("linear-run-rate").annotateKey({
    description:
      "The method of the forecast. `linear-run-rate`: the costs until now times the seconds of the month, " +
      "divided by the seconds that have passed."
  }),
  method_detail: Schema.String.annotateKey({ description: "The calculation with its numbers, for people." }),
  ...tenant
}).annotate({ identifier: "CostForecast", description: "The expected costs of the running month." })
export type CostForecast = typeof CostForecast.Type

export const BudgetPeriod = Schema.Literal("monthly").annotate({
  description: "The period of a budget. `monthly`: a calendar month in UTC, the only one."
})

export const BudgetRequest = Schema.Struct({
  amount_cents: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotateKey({
    description: "The amount of a month, in whole cents, at least 1; 100 are one euro."
  }),
  currency: Schema.optionalKey(Currency),
  period: BudgetPeriod.pipe(Schema.withDecodingDefaultKey(Effect.succeed("monthly" as const))).annotateKey({
    description: "The period of the budget; `monthly` when absent."
  })
}).annotate({ identifier: "BudgetRequest", description: "A new budget." })
export type BudgetRequest = typeof BudgetRequest.Type

export const Budget = Schema.Struct({
  budget_id: Schema.String.annotateKey({ description: "The id of the budget, beginning with `bdg-`." }),
  amount_cents: Cents.annotateKey({ description: "The amount of a month, in whole cents." }),
  currency: Currency,
  period: BudgetPeriod,
  ...tenant,
  created_at: Schema.String.annotateKey({ description: "When the budget was created, RFC 3339, UTC." }),
  created_by: Schema.String.annotateKey({ description: "The user id of the creator at the identity provider." }),
  last_breached_period: Schema.NullOr(Schema.String).annotateKey({
    description: "The last month whose costs reached the amount, such as `2026-01`. Null when none has."
  })
}).annotate({
  identifier: "Budget",
  description: "An amount of a month's costs. When it is reached, an event is published."
})
export type Budget = typeof Budget.Type

export const InvoiceStatus = meanings("How the invoice stands.", {
  draft: "It is of a month that is not over, or not closed, and its lines change.",
  finalized: "It does not change any more, and waits to be paid.",
  paid: "It was paid.",
  void: "It is not to be paid."
})

export const InvoiceLine = Schema.Struct({
  key: Schema.String.annotateKey({ description: "The key of the line, such as `compute.m1.large`." }),
  description: Schema.String.annotateKey({ description: "The subject of the line, for people." }),
  quantity: Decimal.annotateKey({ description: "The usage in `unit`, a decimal number as text." }),
  unit: Schema.String.annotateKey({ description: "The unit of `quantity`, as the billing service names it." }),
  unit_price_eur: Decimal.annotateKey({ description: "The price of one unit in euros, a decimal number as text." }),
  amount_cents: Cents.annotateKey({ description: "The amount of the line, in whole cents." }),
  amount_eur: euros("amount_cents")
}).annotate({ identifier: "InvoiceLine", description: "A line of an invoice." })
export type InvoiceLine = typeof InvoiceLine.Type

export const InvoiceEvent = Schema.Struct({
  event: Schema.String.annotateKey({ description: "The kind of the entry, such as `finalized`." }),
  detail: Schema.String.annotateKey({ description: "The details, for people." }),
  ts: Schema.String.annotateKey({ description: "When it happened, RFC 3339, UTC." })
}).annotate({ identifier: "InvoiceEvent", description: "An entry of an invoice's history." })

export const Invoice = Schema.Struct({
  invoice_id: Schema.String.annotateKey({ description: "The id of the invoice, beginning with `in-`." }),
  ...tenant,
  status: InvoiceStatus,
  currency: Currency,
  total_cents: Cents.annotateKey({ description: "The sum of the lines, in whole cents." }),
  period_start: Schema.String.annotateKey({ description: "The first moment of the invoice's month, RFC 3339, UTC." }),
  period_end: Schema.String.annotateKey({ description: "The moment after the invoice's month, RFC 3339, UTC." }),
  created_at: Schema.String.annotateKey({ description: "When the invoice was created, RFC 3339, UTC." }),
  created_by: Schema.String.annotateKey({ description: "Who created the invoice, as the billing service names it." }),
  customer_email: Schema.NullOr(Schema.String).annotateKey({
    description: "The address that the invoice is sent to. Null when the billing service has none."
  }),
  history: Schema.Array(InvoiceEvent).annotateKey({ description: "The history of the invoice." }),
  lines: Schema.Array(InvoiceLine).annotateKey({ description: "The lines of the invoice." }),
  notify_events: Schema.Array(Schema.String).annotateKey({
    description: "The events of the invoice of which the customer is notified, such as `finalized`."
  }),
  external_customer_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The id of the tenant at the payment provider. Null when it has none there."
  }),
  external_invoice_id: Schema.NullOr(Schema.String).annotateKey({
    description: "The id of the invoice at the payment provider. Null when it has none there."
  })
}).annotate({ identifier: "Invoice", description: "The invoice of a tenant for a month." })
export type Invoice = typeof Invoice.Type

// --- events -----------------------------------------------------------------------

/** A month's spend reached a budget. Published once a budget and month: the id follows from the two. */
export const BudgetBreached = Event.mapFields(
  Struct.assign({
    topic: Schema.Literal(budgetTopic),
    kind: Schema.Literal("budget.breached"),
    data: Schema.Struct({
      budget_id: Schema.String,
      period: Month.annotateKey({ description: "The month, such as `2026-01`." }),
      amount_cents: Cents.annotateKey({ description: "The amount of the budget, in whole cents." }),
      spent_cents: Cents.annotateKey({
        description: "The costs when the gateway noticed the breach, in whole cents. They may have grown since."
      }),
      currency: Currency
    })
  })
).annotate({ identifier: "BudgetBreached" })
export type BudgetBreached = typeof BudgetBreached.Type

// --- routes -----------------------------------------------------------------------

const project = {
  project: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "The project of the tenant. For platform administrators, who have none of their own; every other caller gets a 403."
  })
}

/** The failures of every route: of `?project=`, and of the billing service. */
const ofBilling = [
  ...overrideCodes,
  "billing_conflict",
  "billing_refused",
  "service_not_found",
  "upstream_failed"
] as const

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
        period: Schema.optionalKey(Month).annotateKey({
          description: "A calendar month in UTC, such as `2026-01`. Not together with `start` and `end`."
        }),
        start: Schema.optionalKey(Moment).annotateKey({
          description:
            "The first moment: a moment in UTC, such as `2026-01-31T12:00:00Z`, or a day, such as `2026-01-31`, which means its first moment. Needs `end`."
        }),
        end: Schema.optionalKey(Moment).annotateKey({
          description: "The moment after the period, written as `start` is, and later than it. Needs `start`."
        })
      },
      success: CostBreakdown,
      error: failures(...ofBilling, "cost_period_refused")
    }).annotateMerge(
      described(
        "Show the costs of a period",
        "Returns the costs of the tenant in a month (`period`), in a span (`start` and `end`), or, without either, in the running month. Future time has cost nothing yet. The rows of a month add up to the month's invoice; usage that arrives after an invoice is final changes the breakdown alone."
      )
    ),
    HttpApiEndpoint.get("forecast", "/cost/forecast", {
      query: project,
      success: CostForecast,
      error: failures(...ofBilling)
    }).annotateMerge(
      described(
        "Forecast the running month's costs",
        "Returns the costs of the running month until now, and those of the whole month at the same rate. " +
          "`method_detail` has the calculation. Within the first second of a month the forecast is the cost itself."
      )
    ),
    HttpApiEndpoint.get("budgets", "/budgets", {
      query: { ...project, ...pageQuery },
      success: pageList("BudgetList", {
        budgets: Schema.Array(Budget).annotateKey({ description: "The budgets of this page, oldest first." })
      }),
      error: failures(...ofBilling)
    }).annotateMerge(
      described("List budgets", "Returns the tenant's budgets, with the last month in which each was reached.")
    ),
    HttpApiEndpoint.post("createBudget", "/budgets", {
      query: project,
      payload: BudgetRequest,
      success: Budget.pipe(HttpApiSchema.status(201)),
      error: failures(...ofBilling, "ceiling_reached", "concurrent_change")
    })
      .annotateMerge(
        described(
          "Create a budget",
          "Creates a budget for the tenant's monthly costs; a tenant has at most 50, and one more is a 409 `ceiling_reached` with the numbers. When a month's costs reach the amount, an event `budget.breached` is published on the topic `billing.budgets`, once for each budget and month. A budget stops nothing, and looks at no month before it was created."
        )
      )
      .middleware(Creates),
    HttpApiEndpoint.delete("removeBudget", "/budgets/:budget_id", {
      params: { budget_id: Schema.String.annotateKey({ description: "The id of a budget of the tenant." }) },
      query: project,
      success: Budget,
      error: failures(...ofBilling, "budget_not_found")
    }).annotateMerge(
      described("Delete a budget", "Deletes a budget and returns its last state. It publishes no further event.")
    ),
    HttpApiEndpoint.get("invoices", "/invoices", {
      query: { ...project, ...pageQuery },
      success: pageList("InvoiceList", {
        invoices: Schema.Array(Invoice).annotateKey({ description: "The invoices of this page, oldest first." })
      }),
      error: failures(...ofBilling)
    }).annotateMerge(
      described(
        "List invoices",
        "Returns the tenant's invoices with their lines, oldest first. The last one is the draft of the running month. A final invoice never changes."
      )
    )
  )
  .annotateMerge(
    titled(
      "Costs",
      "The costs of a tenant, with forecast, budgets and invoices. Costs are shown by service, and the forecast " +
        "is that of the running month. A billing service counts the usage by the second; where the cloud has none, " +
        "these operations answer 404 `service_not_found`. Money is in euros, in whole cents; `_eur` fields are for " +
        "display. Callers need billing access: the account's owners have it, other members when it was granted to " +
        "them, and machine credentials when all of their makers have it."
    )
  )
  // These endpoints decide for themselves: `?project=` gets the same refusal whatever caller sends it.
  .annotateEndpoints(WithoutTenant, true)
  .middleware(WellFormed)
  .middleware(BillingAccess)
  .pipe(authenticated)
  .middleware(Validated) {}
