import type { TokenExchangeResponse, WorkloadIssuerRow } from "@portico/contract/WorkloadIdentity"
import type { RegistryKeySet, RegistryToken } from "@portico/contract/Registry"
import { fixtures } from "@portico/simulator/Fixtures"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { createLocalJWKSet, jwtVerify } from "jose"
import { eventually, heard } from "../processes/children.ts"
import { ask, Cloud, type Gateway, story, tenantOf, twoGateways } from "../processes/harness.ts"

const issuer = "https://cluster.acme.example"
const audience = "https://api.portico.example"

/** The simulated cluster with an issuer of its own, whose keys verifiers may read; a token of one of its pods. */
const podToken = Effect.gen(function* () {
  const { url } = yield* Cloud
  const { administratorToken: token } = fixtures.kubernetes
  yield* ask("POST", `${url}/cloud/kubernetes/issuer`, { body: { issuer } })
  yield* ask("POST", `${url}/kubernetes/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`, {
    token,
    body: {
      metadata: { name: "verifiers" },
      roleRef: { kind: "ClusterRole", name: "system:service-account-issuer-discovery" },
      subjects: [{ kind: "Group", name: "system:unauthenticated" }]
    }
  })
  const path = "/kubernetes/api/v1/namespaces/default/serviceaccounts/default/token"
  const answer = yield* ask<{ readonly status: { readonly token: string } }>("POST", `${url}${path}`, {
    token,
    body: { spec: { audiences: [audience] } }
  })
  return answer.body.status?.token ?? ""
})

const mapped = Effect.fnUntraced(function* (gateway: Gateway, project_id: string) {
  const { url } = yield* Cloud
  const { body, status } = yield* gateway.operator<WorkloadIssuerRow>("POST", "/v1/workload-identity/issuers", {
    issuer,
    project_id,
    tier: 1,
    audience,
    jwks_uri: `${url}/kubernetes/openid/v1/jwks`,
    subjects: ["system:serviceaccount:default:*"]
  })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body.issuer_id ?? ""
})

const refused = (answer: { readonly status: number; readonly body: object }) =>
  assert.deepStrictEqual([answer.status, answer.body], [401, { detail: "Token is not active", code: "token_inactive" }])

story("a workload's Bearer is accepted at every gateway, and refused after the end of its mapping", () =>
  Effect.gen(function* () {
    const [first, second] = yield* twoGateways()
    const { projectId, token } = yield* tenantOf(first, "Acme GmbH")
    const subject_token = yield* podToken
    for (const end of ["DELETE", "PATCH"] as const) {
      const id = yield* mapped(first, projectId)
      const { body } = yield* second.customer<TokenExchangeResponse>(
        token,
        "POST",
        "/v1/workload-identity/token-exchange",
        {
          subject_token
        }
      )
      const bearer = body.access_token ?? ""
      for (const gateway of [first, second, first, second]) {
        assert.strictEqual((yield* gateway.whoami(bearer)).status, 200)
      }
      yield* first.operator(end, `/v1/workload-identity/issuers/${id}`, end === "PATCH" ? { tier: 0 } : undefined)
      refused(yield* first.whoami(bearer))
      yield* eventually(Effect.map(second.whoami(bearer), refused), heard)
      for (const gateway of [first, second, first, second]) refused(yield* gateway.whoami(bearer))
    }
  })
)

story("gateways sign registry tokens with one key, and publish the same keys", () =>
  Effect.gen(function* () {
    const gateways = yield* twoGateways()
    const authorization = `Basic ${Buffer.from(`ops:${fixtures.idp.operatorToken}`).toString("base64")}`
    const tokenOf = ({ url }: Gateway) =>
      Effect.promise(async () => {
        const response = await fetch(`${url}/v1/registry/token?service=registry`, { headers: { authorization } })
        return ((await response.json()) as RegistryToken).token
      })
    const keysOf = ({ url }: Gateway) =>
      Effect.map(ask<RegistryKeySet>("GET", `${url}/v1/registry/jwks`), (_) => _.body.keys ?? [])

    const tokens = yield* Effect.forEach(gateways, tokenOf, { concurrency: 2 })
    const published = yield* Effect.forEach(gateways, keysOf)
    assert.lengthOf(published[0] ?? [], 1)
    assert.deepStrictEqual(published[0], published[1])
    for (const token of tokens) {
      yield* Effect.promise(() =>
        jwtVerify(token, createLocalJWKSet({ keys: (published[0] ?? []).map(({ x5c: _, ...key }) => key) }))
      )
    }
  })
)
