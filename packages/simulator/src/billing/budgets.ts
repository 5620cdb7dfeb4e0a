import { numberAt, objectAt, stringAt } from "../Json.ts"
import { type Handler, type Incoming, json } from "../Wire.ts"
import { meter, totalOf } from "./meter.ts"
import { isoOf, monthNamed } from "./months.ts"
import { isIn, ofTenant, pageOf, refuse, scoped, wrongPage } from "./request.ts"
import type { Budget } from "./state.ts"

/** The maximum number of budgets of a project. */
const limit = 50

const shown = (_: Budget) => ({ ..._, created_at: isoOf(_.created_at) })

const absent = () => refuse(404, "budget_not_found", "There is no such budget")

const inOrder = (budgets: Readonly<Record<string, Budget>>): ReadonlyArray<Budget> =>
  Object.values(budgets).toSorted((a, b) => a.created_at - b.created_at || (a.budget_id < b.budget_id ? -1 : 1))

export const listBudgets: Handler = scoped((incoming, scope) => {
  const all = inOrder(incoming.world.billing.budgets).filter((_) => isIn(scope, _.project_id))
  const page = pageOf(all, incoming, (_) => ({ at: _.created_at, id: _.budget_id }))
  return page === undefined ? wrongPage() : json(200, { count: all.length, budgets: page.map(shown) })
})

export const showBudget: Handler = scoped(({ params, world }, scope) => {
  const budget = world.billing.budgets[params["id"] ?? ""]
  return budget === undefined || !isIn(scope, budget.project_id) ? absent() : json(200, shown(budget))
})

/** The caller chooses the id, so that a retry creates the same budget. */
export const putBudget: Handler = ofTenant((incoming, projectId) => {
  const { budgets, retired } = incoming.world.billing
  const id = incoming.params["id"] ?? ""
  const asked = askedOf(incoming)
  if (typeof asked === "string") return refuse(422, "invalid_budget", asked)
  const held = budgets[id]
  if (held !== undefined) {
    return held.project_id === projectId && held.amount_cents === asked.amount_cents
      ? json(200, shown(held))
      : refuse(409, "budget_exists", "Another budget has this id")
  }
  if (Object.hasOwn(retired, id)) return refuse(409, "budget_retired", "A budget of this id is gone")
  if (Object.values(budgets).filter((_) => _.project_id === projectId).length >= limit) {
    return refuse(
      409,
      "too_many_budgets",
      `The project has ${limit} budgets already, which is the most that it may have`
    )
  }
  const budget: Budget = {
    budget_id: id,
    project_id: projectId,
    ...asked,
    currency: "EUR",
    period: "monthly",
    created_at: incoming.now,
    last_breached_period: null
  }
  budgets[id] = budget
  return json(201, shown(budget))
})

/** The largest amount of a budget: ten million euros. */
const most = 1_000_000_000

const askedOf = ({ json, params }: Incoming) => {
  const asked = objectAt(json)
  const [amount_cents, created_by] = [numberAt(asked, "amount_cents"), stringAt(asked, "created_by")]
  if (!/^bdg-[0-9a-f-]{36}$/.test(params["id"] ?? "")) return "The id is not one of a budget"
  if (amount_cents === undefined || !Number.isSafeInteger(amount_cents) || amount_cents < 1) {
    return "amount_cents must be a whole number above 0"
  }
  if (amount_cents > most) return `amount_cents must not be above ${most}`
  if (asked["currency"] !== "EUR") return "currency must be EUR"
  if (asked["period"] !== "monthly") return "period must be monthly"
  return created_by === undefined ? "created_by must be a string" : { amount_cents, created_by }
}

/** The id of a removed budget is a tombstone: a create that arrives later is refused. */
export const deleteBudget: Handler = ofTenant(({ params, world }, projectId) => {
  const { budgets, retired } = world.billing
  const id = params["id"] ?? ""
  const budget = budgets[id]
  if (budget !== undefined && budget.project_id !== projectId) return absent()
  retired[id] ??= { budget_id: id, project_id: projectId }
  if (budget === undefined) return absent()
  delete budgets[id]
  return json(200, shown(budget))
})

/** Budgets that their project has reached in a month, and whose last breach was in an earlier month. */
export const listBreaches: Handler = scoped(({ now, query, world }, scope) => {
  const month = monthNamed(query.get("period") ?? "")
  const count = Number(query.get("limit") ?? "100")
  if (month === undefined) return refuse(400, "invalid_period", "period is a month such as 2026-01")
  if (!Number.isInteger(count) || count < 1) return wrongPage()
  const spent = new Map<string, number>()
  const spentBy = (projectId: string): number => {
    const known = spent.get(projectId) ?? totalOf(meter(world.billing, projectId, month, now))
    spent.set(projectId, known)
    return known
  }
  const breaches = inOrder(world.billing.budgets)
    .filter((_) => isIn(scope, _.project_id) && _.created_at < month.end)
    .filter((_) => _.last_breached_period === null || _.last_breached_period < month.name)
    .filter((_) => spentBy(_.project_id) >= _.amount_cents)
    .map(({ amount_cents, budget_id, currency, project_id }) => ({
      budget_id,
      project_id,
      period: month.name,
      amount_cents,
      spent_cents: spentBy(project_id),
      currency
    }))
  return json(200, { breaches: breaches.slice(0, count) })
})

/** A breach of a later month is kept. */
export const markBreach: Handler = ofTenant(({ params, world }, projectId) => {
  const budget = world.billing.budgets[params["id"] ?? ""]
  const month = monthNamed(params["period"] ?? "")
  if (month === undefined) return refuse(400, "invalid_period", "period is a month such as 2026-01")
  if (budget === undefined || budget.project_id !== projectId) return absent()
  if (budget.last_breached_period === null || budget.last_breached_period < month.name) {
    budget.last_breached_period = month.name
  }
  return json(200, shown(budget))
})
