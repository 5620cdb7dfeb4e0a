import { type Handler, json, type Routes } from "../Wire.ts"
import { deleteBudget, listBreaches, listBudgets, markBreach, putBudget, showBudget } from "./budgets.ts"
import { breakdown, monthToDate } from "./cost.ts"
import { ingest } from "./ingest.ts"
import { takeInventory } from "./inventory.ts"
import { invoicesOf, projectsOf } from "./invoices.ts"
import { pageOf, scoped, wrongPage } from "./request.ts"

const listInvoices: Handler = scoped((incoming, scope) => {
  const { now, world } = incoming
  const all = invoicesOf(world.billing, scope === "all" ? projectsOf(world.billing) : [scope.projectId], now)
  const page = pageOf(all, incoming, (_) => ({ at: Date.parse(_.created_at), id: _.invoice_id }))
  return page === undefined ? wrongPage() : json(200, { count: all.length, invoices: page })
})

/** A service of the platform itself, specified in docs/operators/billing.md. */
export const billingRoutes: Routes = {
  "POST /v1/events": ingest,
  "POST /v1/inventory": takeInventory,
  "GET /v1/cost/breakdown": breakdown,
  "GET /v1/cost/month-to-date": monthToDate,
  "GET /v1/budgets": listBudgets,
  "GET /v1/budgets/:id": showBudget,
  "PUT /v1/budgets/:id": putBudget,
  "DELETE /v1/budgets/:id": deleteBudget,
  "PUT /v1/budgets/:id/breaches/:period": markBreach,
  "GET /v1/breaches": listBreaches,
  "GET /v1/invoices": listInvoices
}
