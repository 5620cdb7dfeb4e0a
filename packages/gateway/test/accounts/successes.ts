import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { nextOf } from "../routes/nextOf.ts"

const asOperator = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  return jsonOf(yield* (yield* TestGateway).call("operator", method, path, { token: operator, body }))
})

const accountOf = Effect.fnUntraced(function* (projectId: string) {
  return yield* asOperator("GET", `/v1/account?project=${projectId}`)
})

/** An account that nobody else's call is about, and that is closing. */
const closing = Effect.fnUntraced(function* (what: "reopen" | "finalize", body?: unknown) {
  const name = `Closing-${nextOf("accounts")}`
  const { tenant } = yield* asOperator("POST", "/v1/tenants", { name })
  yield* asOperator("POST", `/v1/account/close?project=${tenant.project_id}`, { confirm: name })
  const { number } = yield* accountOf(tenant.project_id)
  return { path: `/v1/tenants/accounts/${number}/${what}`, body }
})

const ownNeeded: Success["administrator"] = {
  status: 409,
  body: {
    detail: "A platform credential is scoped to no tenant; this endpoint needs the credential of a tenant",
    code: "tenant_required"
  }
}

export const accountSuccesses: Readonly<Record<string, Success>> = {
  // Not TenantScoped, because ?project= gives an administrator an account to ask about.
  "GET /v1/account": {
    status: 200,
    prepare: Effect.succeed({ path: "/v1/account" }),
    administrator: ownNeeded
  },
  "POST /v1/account/close": {
    status: 202,
    roles: {
      allowed: ["customer-owner"],
      refusal: {
        status: 403,
        body: {
          detail: "This action requires the role customer-owner in the account, or the platform administrator role",
          code: "owner_required"
        }
      }
    },
    prepare: Effect.gen(function* () {
      const { acme } = yield* Cast
      const { name } = yield* accountOf(acme.projectId)
      return { path: "/v1/account/close", body: { confirm: name } }
    }),
    after: Effect.gen(function* () {
      const { acme } = yield* Cast
      const { number } = yield* accountOf(acme.projectId)
      yield* asOperator("POST", `/v1/tenants/accounts/${number}/reopen`)
    }),
    administrator: ownNeeded
  },
  "GET /v1/tenants/accounts": { status: 200, prepare: Effect.succeed({ path: "/v1/tenants/accounts?limit=2" }) },
  "POST /v1/tenants/accounts/:number/reopen": { status: 200, prepare: closing("reopen") },
  "POST /v1/tenants/accounts/:number/finalize": { status: 202, prepare: closing("finalize", { reason: "a test" }) }
}
