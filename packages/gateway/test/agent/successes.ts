import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import type { Success } from "../routes/Success.ts"
import { nextOf } from "../routes/nextOf.ts"

/** Of acme, whoever asks: a platform administrator has to name a project. */
const ofAcme = (path: string, body?: unknown) =>
  Effect.map(Cast, ({ acme }) => ({
    path: `${path}?project_id=${acme.projectId}`,
    ...(body === undefined ? {} : { body })
  }))

/** What earlier calls minted goes: the tenant has not many places. */
const places = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const token = (yield* Cast).acme.tokens[2]
  const { agents } = jsonOf(yield* call("customer", "GET", "/v1/agents?limit=1000", { token }))
  for (const { credential_id, label } of agents) {
    if (/^matrix-\d+$/.test(label)) yield* call("customer", "DELETE", `/v1/credentials/${credential_id}`, { token })
  }
})

const elsewhere = {
  status: 404,
  body: (path: string) => ({
    detail: `Tenant '${path.split("project_id=")[1]}' not found`,
    code: "tenant_not_found"
  })
}

const only = (detail: string, code: string) => ({ status: 403, body: { detail, code } })

/** Credentials for agents, their end, and the policy. */
export const agentSuccesses: Readonly<Record<string, Success>> = {
  "POST /v1/agents": {
    status: 201,
    prepare: Effect.map(places, () => ({ path: "/v1/agents", body: { label: `matrix-${nextOf("agent")}` } }))
  },
  "GET /v1/agents": { status: 200, prepare: ofAcme("/v1/agents"), elsewhere },
  "GET /v1/agents/policy": { status: 200, prepare: ofAcme("/v1/agents/policy"), elsewhere },
  "PUT /v1/agents/policy": {
    status: 200,
    roles: {
      allowed: ["customer-owner", "customer-admin"],
      refusal: only(
        "This action requires the role customer-owner or customer-admin in the account, or the platform administrator role",
        "policy_role_required"
      )
    },
    prepare: ofAcme("/v1/agents/policy", { enabled: true, confirm: ["billed", "irreversible"] })
  },
  "DELETE /v1/agents": {
    status: 200,
    roles: {
      allowed: ["customer-owner"],
      refusal: only(
        "This action requires the role customer-owner in the account, or the platform administrator role",
        "owner_required"
      )
    },
    prepare: ofAcme("/v1/agents")
  }
}
