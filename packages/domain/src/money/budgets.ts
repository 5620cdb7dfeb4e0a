import type { Caller } from "@portico/contract/Access"
import { Conflict, NotFound } from "@portico/contract/Failures"
import type { Budget, BudgetRequest } from "@portico/contract/Money"
import { pageOf, type PageRequest } from "@portico/contract/Page"
import type * as Wire from "@portico/upstream/billing/wire"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { exclusively } from "../work/exclusively.ts"
import type { Plane } from "../health/readiness.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { billingService, refusal } from "./service.ts"
import { filterOf, namesIn, scopeOf, tenantOf } from "./tenancy.ts"

/** The most budgets of a tenant: each is compared with its month's costs once a minute, and publishes an event. */
export const mostBudgets = 50

const busy = () => Conflict.concurrentChange("the tenant's budgets")

/**
 * A page of budgets, oldest first. An administrator on the operator plane sees
 * those of all tenants, unless one is named.
 */
export const listBudgets = Effect.fn("budgets.list")(function* (
  caller: Caller,
  plane: Plane,
  override: string | undefined,
  page: PageRequest
) {
  const scope = yield* scopeOf(caller, override, plane)
  const billing = yield* billingService
  const window = { limit: page.limit + 1, after: page.after }
  const { budgets, count } = yield* Effect.mapError(billing.budgets(filterOf(scope), window), refusal)
  const { next_cursor, rows } = pageOf(budgets, page, (_) => ({ at: millisOf(_.created_at), id: _.budget_id }))
  const nameOf = yield* namesIn(scope, rows)
  return { count, next_cursor, budgets: rows.map((_) => rowOf(_, nameOf(_.project_id))) }
})

/**
 * Creates a budget of the tenant, which may have several. The gateway makes the
 * id, so the call can be repeated when its answer is lost. If the repeats fail
 * too, the gateway removes the id, and a call that arrives late creates
 * nothing.
 *
 * Errors: 409 at {@link mostBudgets}, with the numbers, and while another create
 * of the tenant is under way; those of the billing service.
 */
export const createBudget = Effect.fn("budgets.create")(function* (
  caller: Caller,
  override: string | undefined,
  { amount_cents, period }: BudgetRequest
) {
  const tenant = yield* tenantOf(caller, override)
  const billing = yield* billingService
  const budget_id = `bdg-${randomUUID()}`
  const create = billing
    .createBudget({ budget_id, project_id: tenant.projectId, amount_cents, period, created_by: caller.userId })
    .pipe(
      Effect.tapError(() => Effect.ignore(billing.removeBudget(tenant.projectId, budget_id))),
      Effect.mapError(refusal)
    )
  const made = Effect.gen(function* () {
    const own = billing.budgets({ projectId: tenant.projectId }, { limit: 1, after: undefined })
    const { count: used } = yield* Effect.mapError(own, refusal)
    const numbers = { requested: 1, used, limit: mostBudgets }
    if (used >= mostBudgets) return yield* Conflict.ceilingReached("budgets", "", numbers)
    return yield* create
  }).pipe(exclusively(`budgets/${tenant.projectId}`, busy))
  return rowOf(yield* (yield* RunToCompletion).run(made), tenant.name)
})

const budgetId = /^bdg-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Removes a budget and answers with its last state.
 *
 * Errors: the same 404 for an unknown id and another tenant's.
 */
export const removeBudget = Effect.fn("budgets.remove")(function* (
  caller: Caller,
  plane: Plane,
  override: string | undefined,
  id: string
) {
  const scope = yield* scopeOf(caller, override, plane)
  const billing = yield* billingService
  if (!budgetId.test(id)) return yield* NotFound.budget(id)
  const budget = yield* Effect.mapError(billing.budget(filterOf(scope), id), refusal)
  if (budget === undefined) return yield* NotFound.budget(id)
  const removed = Effect.mapError(billing.removeBudget(budget.project_id, id), refusal)
  yield* (yield* RunToCompletion).run(removed)
  const nameOf = yield* namesIn(scope, [budget])
  return rowOf(budget, nameOf(budget.project_id))
})

const millisOf = (iso: string): number => DateTime.toEpochMillis(DateTime.makeUnsafe(iso))

const rowOf = (budget: Wire.Budget, tenantName: string): Budget => ({
  budget_id: budget.budget_id,
  amount_cents: budget.amount_cents,
  currency: budget.currency,
  period: budget.period,
  project_id: budget.project_id,
  tenant_name: tenantName,
  created_at: budget.created_at,
  created_by: budget.created_by,
  last_breached_period: budget.last_breached_period
})
