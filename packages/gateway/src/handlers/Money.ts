import { CurrentCaller } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import type { Plane } from "@portico/domain/health/readiness"
import { createBudget, listBudgets, removeBudget } from "@portico/domain/money/budgets"
import { showBreakdown, showForecast } from "@portico/domain/money/cost"
import { listInvoices } from "@portico/domain/money/invoices"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** On the operator plane alone, an administrator's lists are those of all tenants. */
export const MoneyHandlers = (plane: Plane) =>
  HttpApiBuilder.group(OperatorApi, "money", (handlers) =>
    handlers
      .handle("breakdown", ({ query }) => Effect.flatMap(CurrentCaller, (caller) => showBreakdown(caller, query)))
      .handle("forecast", ({ query }) => Effect.flatMap(CurrentCaller, (caller) => showForecast(caller, query.project)))
      .handle("budgets", ({ query }) =>
        Effect.flatMap(CurrentCaller, (caller) => listBudgets(caller, plane, query.project, pageRequestOf(query)))
      )
      .handle("createBudget", ({ payload, query }) =>
        Effect.flatMap(CurrentCaller, (caller) => createBudget(caller, query.project, payload))
      )
      .handle("removeBudget", ({ params, query }) =>
        Effect.flatMap(CurrentCaller, (caller) => removeBudget(caller, plane, query.project, params.budget_id))
      )
      .handle("invoices", ({ query }) =>
        Effect.flatMap(CurrentCaller, (caller) => listInvoices(caller, plane, query.project, pageRequestOf(query)))
      )
  )
