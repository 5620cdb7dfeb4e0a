import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const at = (path: string, body?: unknown): Success["prepare"] => Effect.succeed({ path, body })

/** Not TenantScoped, because ?project= gives an administrator a project to ask about. */
const tenantRequired = {
  status: 409,
  body: {
    detail: "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant",
    code: "tenant_required"
  }
} as const

const budget = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  const asked = { token: acme.tokens[1], body: { amount_cents: 100 } }
  const made = jsonOf(yield* call("customer", "POST", "/v1/budgets", asked))
  return { path: `/v1/budgets/${made.budget_id}` }
})

/** The rows of the matrix for costs, budgets and invoices. An administrator's lists at the operators' are everybody's. */
export const moneySuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/cost/breakdown": {
    status: 200,
    prepare: at("/v1/cost/breakdown?group_by=line&period=2026-01"),
    administrator: tenantRequired
  },
  "GET /v1/cost/forecast": { status: 200, prepare: at("/v1/cost/forecast"), administrator: tenantRequired },
  "GET /v1/budgets": { status: 200, prepare: at("/v1/budgets?limit=5"), administratorAtCustomers: tenantRequired },
  "POST /v1/budgets": {
    status: 201,
    prepare: at("/v1/budgets", { amount_cents: 100, period: "monthly" }),
    administrator: tenantRequired
  },
  "DELETE /v1/budgets/:budget_id": {
    status: 200,
    prepare: budget,
    elsewhere: {
      status: 404,
      body: (path) => ({ detail: `Budget '${path.split("/").at(-1)}' not found`, code: "budget_not_found" })
    },
    administratorAtCustomers: tenantRequired
  },
  "GET /v1/invoices": { status: 200, prepare: at("/v1/invoices?limit=5"), administratorAtCustomers: tenantRequired }
}
