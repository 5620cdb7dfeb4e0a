import type { Budget, CostBreakdown, CostForecast, Invoice } from "@portico/contract/Money"
import { PorticoError } from "@portico/client/PorticoError"
import { Effect, Stream } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import type { Portico } from "../../Portico.ts"

/** The month or the span that is asked about; the running month without any. */
export interface Asked {
  readonly project: string | undefined
  readonly group_by: "service" | "line"
  readonly period: string | undefined
  readonly start: string | undefined
  readonly end: string | undefined
}

/** What the API says of a tenant's money. */
export interface Costs {
  readonly breakdown: CostBreakdown
  /** Null unless the running month is asked about. */
  readonly forecast: CostForecast | null
  readonly budgets: ReadonlyArray<Budget>
  /** The last months, oldest first. */
  readonly months: ReadonlyArray<Pick<Invoice, "period_start" | "status" | "total_cents">>
}

/** A year, and the running month. */
const mostMonths = 13

export const readCosts = ({ stream, use }: Portico, { project, ...span }: Asked) => {
  const running = span.period === undefined && span.start === undefined && span.end === undefined
  const budgets = stream((_, signal) => _.money.budgets.all({ project }, { signal }))
  const invoices = stream((_, signal) => _.money.invoices.all({ project }, { signal }))
  return Effect.all(
    {
      breakdown: use((_, signal) => _.money.breakdown({ project, ...span }, { signal })),
      forecast: running ? use((_, signal) => _.money.forecast({ project }, { signal })) : Effect.succeed(null),
      budgets: Stream.runCollect(budgets),
      months: Effect.map(Stream.runCollect(invoices), (_) =>
        _.slice(-mostMonths).map(({ period_start, status, total_cents }) => ({ period_start, status, total_cents }))
      )
    },
    { concurrency: "unbounded" }
  ).pipe(Effect.mapError(inWords))
}

/** What a person can do about a refusal that every route of costs has. */
const inWords = (error: PorticoError): PorticoError | CliFailure => {
  if (error.code === "billing_access_required") {
    return new CliFailure({
      exit: "refused",
      message: `You may not see what this account costs (${namesOf(error)})`,
      hint: "An owner of the account grants it: portico org-users set-billing <your user id> --billing-access"
    })
  }
  if (error.code === "service_not_found") {
    return new CliFailure({ exit: "notFound", message: `This cloud has no billing service (${namesOf(error)})` })
  }
  return error
}

const namesOf = ({ code, requestId }: PorticoError): string =>
  requestId === undefined ? code : `${code}, request ${requestId}`
