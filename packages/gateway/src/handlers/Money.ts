import { CurrentCaller } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Money } from "@portico/contract/Money"
import { pageRequestOf } from "@portico/contract/Page"
import type { Plane } from "@portico/domain/health/readiness"
import { createBudget, listBudgets, removeBudget } from "@portico/domain/money/budgets"
import { showBreakdown, showForecast } from "@portico/domain/money/cost"
import { listInvoices } from "@portico/domain/money/invoices"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

/** On the operator plane only, an administrator lists the entries of all tenants. */
export const MoneyHandlers = (plane: Plane) =>
  HttpApiBuilder.group(apiOf(Money), "money", (handlers) =>
    handlers.handleAll(
      exact(handlers, {
        breakdown: ({ query }) => Effect.flatMap(CurrentCaller, (caller) => showBreakdown(caller, query)),
        forecast: ({ query }) => Effect.flatMap(CurrentCaller, (caller) => showForecast(caller, query.project)),
        budgets: ({ query }) =>
          Effect.flatMap(CurrentCaller, (caller) => listBudgets(caller, plane, query.project, pageRequestOf(query))),
        createBudget: ({ payload, query }) =>
          Effect.flatMap(CurrentCaller, (caller) => createBudget(caller, query.project, payload)),
        removeBudget: ({ params, query }) =>
          Effect.flatMap(CurrentCaller, (caller) => removeBudget(caller, plane, query.project, params.budget_id)),
        invoices: ({ query }) =>
          Effect.flatMap(CurrentCaller, (caller) => listInvoices(caller, plane, query.project, pageRequestOf(query)))
      })
    )
  )
