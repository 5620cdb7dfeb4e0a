import { Schema } from "effect"

/** Whole cents. Costs and budgets are never negative. */
const Cents = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A decimal number of any length, as text. */
const Decimal = Schema.String.check(Schema.isPattern(/^\d+(\.\d+)?$/, { expected: "a decimal number" }))

const Moment = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/, { expected: "a moment in UTC" })
)

const Month = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d$/, { expected: "a month such as 2026-01" }))

const Currency = Schema.Literal("EUR")

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const sumOf = (rows: ReadonlyArray<{ readonly amount_cents: number }>): number =>
  rows.reduce((sum, { amount_cents }) => sum + amount_cents, 0)

/** The numbers of new events and of duplicates. */
export const Ingested = Schema.Struct({ accepted: count, duplicates: count })
export type Ingested = typeof Ingested.Type

/** The number of resources that differed from the ledger. */
export const Reconciled = Schema.Struct({ changed: count })
export type Reconciled = typeof Reconciled.Type

export const Breakdown = Schema.Struct({
  project_id: Schema.String,
  currency: Currency,
  total_cents: Cents,
  rows: Schema.Array(
    Schema.Struct({ service: Schema.String, unit: Schema.String, quantity: Decimal, amount_cents: Cents })
  )
}).check(
  Schema.makeFilter(({ rows, total_cents }) => sumOf(rows) === total_cents, { expected: "a total that is the rows'" })
)
export type Breakdown = typeof Breakdown.Type

export const MonthToDate = Schema.Struct({
  project_id: Schema.String,
  period: Month,
  currency: Currency,
  total_cents: Cents
})
export type MonthToDate = typeof MonthToDate.Type

export const Budget = Schema.Struct({
  budget_id: Schema.String,
  project_id: Schema.String,
  amount_cents: Cents,
  currency: Currency,
  period: Schema.Literal("monthly"),
  created_at: Moment,
  created_by: Schema.String,
  last_breached_period: Schema.NullOr(Month)
})
export type Budget = typeof Budget.Type

export const Budgets = Schema.Struct({ count, budgets: Schema.Array(Budget) })
export type Budgets = typeof Budgets.Type

/** A budget that is reached in this period, and whose last marked breach was in an earlier one. */
export const Breach = Schema.Struct({
  budget_id: Schema.String,
  project_id: Schema.String,
  period: Month,
  amount_cents: Cents,
  spent_cents: Cents,
  currency: Currency
})
export type Breach = typeof Breach.Type

export const Breaches = Schema.Struct({ breaches: Schema.Array(Breach) })

const Line = Schema.Struct({
  key: Schema.String,
  description: Schema.String,
  quantity: Decimal,
  unit: Schema.String,
  unit_price_eur: Decimal,
  amount_cents: Cents
})

export const Invoice = Schema.Struct({
  invoice_id: Schema.String,
  project_id: Schema.String,
  status: Schema.Literals(["draft", "finalized", "paid", "void"]),
  currency: Currency,
  total_cents: Cents,
  period_start: Moment,
  period_end: Moment,
  created_at: Moment,
  created_by: Schema.String,
  customer_email: Schema.NullOr(Schema.String),
  history: Schema.Array(Schema.Struct({ event: Schema.String, detail: Schema.String, ts: Moment })),
  lines: Schema.Array(Line),
  notify_events: Schema.Array(Schema.String),
  external_customer_id: Schema.NullOr(Schema.String),
  external_invoice_id: Schema.NullOr(Schema.String)
}).check(
  Schema.makeFilter(({ lines, total_cents }) => sumOf(lines) === total_cents, {
    expected: "a total that is the lines'"
  })
)
export type Invoice = typeof Invoice.Type

export const Invoices = Schema.Struct({ count, invoices: Schema.Array(Invoice) })
export type Invoices = typeof Invoices.Type
