import { registerIssuer } from "@portico/domain/workloadIdentity/issuers"
import type { WorkloadIssuerRequest } from "@portico/contract/WorkloadIdentity"
import { fixtures } from "@portico/simulator/Fixtures"
import { signingKeys } from "@portico/simulator/kubernetes/issuer"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { memoryUrl } from "@portico/simulator/transport"
import { Clock, Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { type JWTHeaderParameters, SignJWT } from "jose"
import type { KeyObject } from "node:crypto"
import { administrator } from "@portico/testing/tenants/caller"

export const issuer = "https://cluster.acme.example"
export const audience = "https://api.portico.example"
export const subject = "system:serviceaccount:ci:builder"
export const jwksUri = `${memoryUrl}/kubernetes/openid/v1/jwks`

/** One request to the simulated API server, as the cluster's administrator. */
export const kube = Effect.fnUntraced(function* (method: "POST" | "DELETE", path: string, body: unknown) {
  const client = yield* HttpClient.HttpClient
  const response = yield* HttpClientRequest.make(method)(`${memoryUrl}/kubernetes${path}`).pipe(
    HttpClientRequest.bearerToken(fixtures.kubernetes.administratorToken),
    HttpClientRequest.bodyJsonUnsafe(body),
    client.execute,
    Effect.orDie
  )
  return yield* Effect.orDie(response.json)
})

/**
 * A cluster of a tenant's: with an issuer of its own, a service account, and
 * keys that verifiers may read. The simulated one takes its part.
 */
export const cluster = Effect.gen(function* () {
  const { kubernetes } = (yield* SimulatedCloud).world
  kubernetes.tokenIssuer.issuer = issuer
  kubernetes.tokenIssuer.jwksUri = jwksUri
  yield* kube("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "verifiers" },
    roleRef: { kind: "ClusterRole", name: "system:service-account-issuer-discovery" },
    subjects: [{ kind: "Group", name: "system:unauthenticated" }]
  })
  yield* kube("POST", "/api/v1/namespaces", { metadata: { name: "ci" } })
  yield* kube("POST", "/api/v1/namespaces/ci/serviceaccounts", { metadata: { name: "builder" } })
})

const Answer = Schema.Struct({ status: Schema.Struct({ token: Schema.String }) })

/** What the cluster itself gives its service account. */
export const projectedToken = Effect.fnUntraced(function* (expirationSeconds = 3600) {
  const answer = yield* kube("POST", "/api/v1/namespaces/ci/serviceaccounts/builder/token", {
    spec: { audiences: [audience], expirationSeconds }
  })
  return (yield* Effect.orDie(Schema.decodeUnknownEffect(Answer)(answer))).status.token
})

/** A mapping of the cluster to a tenant. */
export const mapping = (projectId: string, change: Partial<WorkloadIssuerRequest> = {}) =>
  registerIssuer(administrator, {
    issuer,
    project_id: projectId,
    tier: 1,
    audience,
    jwks_uri: jwksUri,
    ca: null,
    subjects: ["system:serviceaccount:ci:*"],
    max_lifetime_seconds: 86_400,
    enabled: true,
    ...change
  })

/** What of a token is otherwise than the cluster would have it. Null leaves a claim out, `unnamed` the id of the key. */
export interface Forged {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Partial<JWTHeaderParameters>
  readonly unnamed?: true
  readonly key?: KeyObject | Uint8Array
}

/** A token that says what the cluster's would say, but for the forger's part; signed with the cluster's key, or another. */
export const forged = Effect.fnUntraced(function* ({ claims = {}, header = {}, key, unnamed }: Forged = {}) {
  const [own] = signingKeys((yield* SimulatedCloud).world.kubernetes)
  if (own === undefined) return yield* Effect.die("the cluster has no key")
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const all = { iss: issuer, sub: subject, aud: [audience], iat: now, nbf: now, exp: now + 3600, ...claims }
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
  return yield* Effect.promise(() =>
    new SignJWT(given)
      .setProtectedHeader({ alg: "RS256", ...(unnamed ? {} : { kid: own.kid }), ...header })
      .sign(key ?? own.privateKey)
  )
})

/** How often the cluster's keys were fetched. */
export const fetches = Effect.gen(function* () {
  return (yield* (yield* SimulatedCloud).calls).filter((_) => _.path === "/openid/v1/jwks").length
})
