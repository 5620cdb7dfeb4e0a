import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { issuerOf, mapped, ownCluster, podToken } from "./workloads.ts"
import { nextOf } from "../routes/nextOf.ts"

const fresh = () => `https://cluster-${nextOf("workloadIdentity")}.example`

const newIssuer = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { jwksUri } = yield* ownCluster
  const body = issuerOf(acme.projectId, jwksUri, { issuer: fresh() })
  return { path: "/v1/workload-identity/issuers", body }
})

const issuer = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const { body, path } = yield* newIssuer
  const { issuer_id } = jsonOf(yield* call("operator", "POST", path, { token: operator, body }))
  return `${path}/${issuer_id}`
})

const subjectToken = Effect.gen(function* () {
  const { acme } = yield* Cast
  yield* mapped(acme.projectId)
  return { path: "/v1/workload-identity/token-exchange", body: { subject_token: yield* podToken } }
})

const login = Effect.map(Cast, ({ acme }) => ({
  path: `/v1/registry/token?service=registry&scope=repository:${acme.projectId}/app:pull`,
  headers: { authorization: `Basic ${Buffer.from(`token:${acme.tokens[0]}`).toString("base64")}` }
}))

const form = Effect.map(Cast, ({ acme }) => ({
  path: "/v1/registry/token",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams({ grant_type: "password", username: "token", password: acme.tokens[0] }).toString()
}))

/** Workload identity and the registry's tokens. */
export const tokenSuccesses: Readonly<Record<string, Success>> = {
  "POST /v1/workload-identity/token-exchange": {
    status: 200,
    prepare: subjectToken,
    elsewhere: {
      status: 403,
      body: () => ({
        detail: "The issuer of the subject token is mapped to no tenant that the caller acts for",
        code: "issuer_unmapped"
      })
    }
  },
  "GET /v1/workload-identity/issuers": {
    status: 200,
    prepare: Effect.succeed({ path: "/v1/workload-identity/issuers" })
  },
  "POST /v1/workload-identity/issuers": { status: 201, prepare: newIssuer },
  "PATCH /v1/workload-identity/issuers/:issuer_id": {
    status: 200,
    prepare: Effect.map(issuer, (path) => ({ path, body: { tier: 0 } }))
  },
  "DELETE /v1/workload-identity/issuers/:issuer_id": { status: 200, prepare: Effect.map(issuer, (path) => ({ path })) },
  "GET /v1/registry/token": { status: 200, prepare: login, ownLogin: true },
  "POST /v1/registry/token": { status: 200, prepare: form, ownLogin: true },
  "GET /v1/registry/jwks": { status: 200, prepare: Effect.succeed({ path: "/v1/registry/jwks" }) }
}
