import type { MemberRole } from "@portico/store/Credentials"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { nextOf } from "../routes/nextOf.ts"

const isMade = ({ email }: { readonly email: string }) => email.startsWith("matrix-")
const fresh = () => `matrix-${nextOf("people")}@acme.example`

const asOperator = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  return jsonOf(yield* (yield* TestGateway).call("operator", method, path, { token: operator, body }))
})

/** An invitation into acme. Whoever was invited for an earlier call goes, or the allowance would be used up. */
const invitation = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { users } = yield* asOperator("GET", `/v1/org/users?project_id=${acme.projectId}`)
  for (const { user_id } of users.filter(isMade)) yield* asOperator("DELETE", `/v1/org/users/${user_id}`)
  return { email: fresh(), role: "customer", project_id: acme.projectId }
})

/** Somebody of acme who was just invited. */
const member = Effect.gen(function* () {
  return (yield* asOperator("POST", "/v1/org/users/invite", yield* invitation)).user_id
})

const only = (allowed: ReadonlyArray<MemberRole>, code: string, who: string): NonNullable<Success["roles"]> => ({
  allowed,
  refusal: {
    status: 403,
    body: { detail: `This action requires the role ${who} in the account, or the platform administrator role`, code }
  }
})

const managers = only(["customer-owner", "customer-admin"], "people_role_required", "customer-owner or customer-admin")

/** The people of an account. */
export const peopleSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/org/users": {
    status: 200,
    roles: managers,
    prepare: Effect.map(Cast, ({ acme }) => ({ path: `/v1/org/users?project_id=${acme.projectId}` }))
  },
  "POST /v1/org/users/invite": {
    status: 201,
    roles: managers,
    prepare: Effect.map(invitation, (body) => ({ path: "/v1/org/users/invite", body }))
  },
  "PUT /v1/org/users/:user_id/billing": {
    status: 200,
    roles: only(["customer-owner"], "owner_required", "customer-owner"),
    prepare: Effect.map(member, (id) => ({ path: `/v1/org/users/${id}/billing`, body: { billing_access: true } }))
  },
  "DELETE /v1/org/users/:user_id": {
    status: 200,
    roles: managers,
    prepare: Effect.map(member, (id) => ({ path: `/v1/org/users/${id}` }))
  }
}
