import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { nextOf } from "../routes/nextOf.ts"

/** Of acme, whoever asks: its people name the own project, and a platform administrator has to name one. */
const ofAcme = (path: string, body?: unknown) =>
  Effect.map(Cast, ({ acme }) => ({
    path: `${path}${path.includes("?") ? "&" : "?"}project_id=${acme.projectId}`,
    ...(body === undefined ? {} : { body })
  }))

/** What the platform administrator does before. */
const prepared = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { call } = yield* TestGateway
  const asked = yield* ofAcme(path, body)
  const answer = yield* call("operator", method, asked.path, { token: operator, body })
  if (answer.status >= 300) return yield* Effect.die(`${method} ${path}: ${answer.text}`)
})

/** A new unit of acme. */
const unit = Effect.gen(function* () {
  const path = `matrix-${nextOf("policy")}`
  yield* prepared("POST", "/v1/org/ous", { path })
  return path
})

const elsewhere = {
  status: 404,
  body: (path: string) => ({
    detail: `Tenant '${path.split("project_id=")[1]}' not found`,
    code: "tenant_not_found"
  })
}

const reading = (path: string): Success => ({ status: 200, prepare: ofAcme(path), elsewhere })

const roles: Success["roles"] = {
  allowed: ["customer-owner", "customer-admin"],
  refusal: {
    status: 403,
    body: {
      detail:
        "This action requires the role customer-owner or customer-admin in the account, or the platform administrator role",
      code: "policy_role_required"
    }
  }
}

/** Organisation units and access policies: reads are everybody's of acme, writes those of two roles. */
export const policySuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/org/ous": reading("/v1/org/ous"),
  "GET /v1/access/policy": reading("/v1/access/policy"),
  "GET /v1/org/effective": reading("/v1/org/effective"),
  "POST /v1/org/ous": {
    status: 201,
    roles,
    prepare: Effect.suspend(() => ofAcme("/v1/org/ous", { path: `matrix-${nextOf("policy")}` }))
  },
  "DELETE /v1/org/ous/:path": {
    status: 200,
    roles,
    prepare: Effect.flatMap(unit, (path) => ofAcme(`/v1/org/ous/${path}`))
  },
  "PUT /v1/org/ous/:path/members/:id": {
    status: 200,
    roles,
    prepare: Effect.gen(function* () {
      const { acme } = yield* Cast
      return yield* ofAcme(`/v1/org/ous/${yield* unit}/members/${acme.credentialIds[0]}`)
    })
  },
  "DELETE /v1/org/ous/:path/members/:id": {
    status: 200,
    roles,
    prepare: Effect.gen(function* () {
      const { acme } = yield* Cast
      const path = `/v1/org/ous/${yield* unit}/members/${acme.credentialIds[0]}`
      yield* prepared("PUT", path)
      return yield* ofAcme(path)
    })
  },
  "PUT /v1/access/policy": {
    status: 200,
    roles,
    prepare: Effect.flatMap(unit, (ou) => ofAcme("/v1/access/policy", { ou, max_tier: 1, denies: ["dns:destroy"] }))
  },
  "DELETE /v1/access/policy": {
    status: 200,
    roles,
    prepare: Effect.gen(function* () {
      const ou = yield* unit
      yield* prepared("PUT", "/v1/access/policy", { ou, max_tier: 0 })
      return yield* ofAcme(`/v1/access/policy?ou=${ou}`)
    })
  }
}
