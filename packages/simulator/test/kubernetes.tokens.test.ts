import { assert, it } from "@effect/vitest"
import { rotateSigningKey, signingKeys } from "@portico/simulator/kubernetes/issuer"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose"
import { ask } from "./ask.ts"
import { kube, namespaceOf, podOf } from "./kube.ts"

const Memory = SimulatedCloud.layerMemory

const account = "/api/v1/namespaces/acme/serviceaccounts/default"
const documents = ["/kubernetes/.well-known/openid-configuration", "/kubernetes/openid/v1/jwks"] as const

/** What an administrator does so that verifiers need no credentials. */
const openToAll = kube("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
  json: {
    metadata: { name: "verifiers" },
    roleRef: { kind: "ClusterRole", name: "system:service-account-issuer-discovery" },
    subjects: [{ kind: "Group", name: "system:unauthenticated" }]
  }
})

const tokenFor = Effect.fnUntraced(function* (spec: object) {
  const answer = yield* kube("POST", `${account}/token`, { json: { spec } })
  assert.strictEqual(answer.status, 201, answer.body)
  return String(answer.json.status.token)
})

/** The claims, once the key set that the cluster publishes says that the token is genuine. */
const verified = Effect.fnUntraced(function* (token: string) {
  const keySet = (yield* ask("GET", documents[1])).json
  const now = yield* Clock.currentTimeMillis
  const options = { currentDate: new Date(now), algorithms: ["RS256"] }
  return yield* Effect.result(Effect.tryPromise(() => jwtVerify(token, createLocalJWKSet(keySet), options)))
})

it.effect("key documents are public once an administrator grants it; other paths stay 401", () =>
  Effect.gen(function* () {
    for (const path of documents) {
      const refused = yield* ask("GET", path)
      assert.strictEqual(refused.status, 403)
      assert.include(refused.json.message, 'User "system:anonymous" cannot get path')
      assert.strictEqual((yield* ask("GET", path, { headers: { authorization: "Bearer none" } })).status, 401)
    }
    yield* openToAll
    const [discovery, keys] = [yield* ask("GET", documents[0]), yield* ask("GET", documents[1])]
    assert.deepStrictEqual(discovery.json, {
      issuer: "https://kubernetes.default.svc.cluster.local",
      jwks_uri: "https://192.0.2.1:6443/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"]
    })
    assert.strictEqual(keys.headers["content-type"], "application/jwk-set+json")
    assert.deepStrictEqual(
      keys.json.keys.map((_: object) => Object.keys(_).toSorted()),
      [["alg", "e", "kid", "kty", "n", "use"]]
    )
    for (const path of ["/kubernetes/api", "/kubernetes/version", "/kubernetes/healthz"]) {
      assert.strictEqual((yield* ask("GET", path)).status, 401, path)
    }
  }).pipe(Effect.provide(Memory))
)

it.effect("a token has its subject, audience and expiry, and verifies with the published keys", () =>
  Effect.gen(function* () {
    yield* openToAll
    yield* namespaceOf("acme", "ann", "edit")
    yield* TestClock.setTime(Date.UTC(2026, 0, 2))
    const token = yield* tokenFor({ audiences: ["gateway"], expirationSeconds: 7_200 })
    const proof = yield* verified(token)
    assert.strictEqual(proof._tag, "Success")
    const { alg, kid } = decodeProtectedHeader(token)
    assert.deepStrictEqual([alg, kid], ["RS256", signingKeys((yield* SimulatedCloud).world.kubernetes)[0]?.kid])
    const { jti, "kubernetes.io": bound, ...claims } = decodeJwt(token)
    const uid = (yield* kube("GET", account)).json.metadata.uid
    const now = Date.UTC(2026, 0, 2) / 1000
    assert.isString(jti)
    assert.deepStrictEqual(bound, { namespace: "acme", serviceaccount: { name: "default", uid } })
    assert.deepStrictEqual(claims, {
      aud: ["gateway"],
      exp: now + 7_200,
      iat: now,
      nbf: now,
      iss: "https://kubernetes.default.svc.cluster.local",
      sub: "system:serviceaccount:acme:default"
    })
  }).pipe(Effect.provide(Memory))
)

it.effect("a token of a pod names it and its node, ends with it, and is extended for a legacy mount", () =>
  Effect.gen(function* () {
    yield* namespaceOf("acme", "ann", "edit")
    const pods = "/api/v1/namespaces/acme/pods"
    const pod = (yield* kube("POST", pods, { json: podOf("web") })).json.metadata
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "web", uid: pod.uid }
    const token = yield* tokenFor({ boundObjectRef, expirationSeconds: 3_607 })
    const { exp = 0, iat = 0, "kubernetes.io": bound } = decodeJwt<{ "kubernetes.io": Record<string, unknown> }>(token)
    assert.strictEqual(exp - iat, 365 * 24 * 3_600)
    assert.strictEqual(bound["warnafter"], iat + 3_607)
    assert.deepStrictEqual(bound["pod"], { name: "web", uid: pod.uid })
    assert.deepInclude(bound["node"], { name: "node-1" })
    const elsewhere = decodeJwt(yield* tokenFor({ boundObjectRef, expirationSeconds: 3_607, audiences: ["gateway"] }))
    assert.strictEqual((elsewhere.exp ?? 0) - (elsewhere.iat ?? 0), 3_607)

    const asPod = ask("GET", "/kubernetes/api", { headers: { authorization: `Bearer ${token}` } })
    assert.strictEqual((yield* asPod).status, 200)
    yield* kube("DELETE", `${pods}/web`, { json: { gracePeriodSeconds: 0 } })
    assert.strictEqual((yield* asPod).status, 401)
  }).pipe(Effect.provide(Memory))
)

const refusals: ReadonlyArray<readonly [spec: object, status: number, words: string]> = [
  [{ expirationSeconds: 599 }, 422, "may not specify a duration less than 10 minutes"],
  [{ expirationSeconds: 2 ** 32 + 1 }, 422, "may not specify a duration larger than 2^32 seconds"],
  [{ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "none" } }, 404, 'pods "none" not found'],
  [
    { boundObjectRef: { apiVersion: "v1", kind: "ConfigMap", name: "c" } },
    400,
    "cannot bind token to object of type /v1, Kind=ConfigMap"
  ],
  [
    { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "web", uid: "another" } },
    409,
    "the UID in the bound object reference (another) does not match the UID in record"
  ]
]
for (const [spec, status, words] of refusals) {
  it.effect(`no token is issued for ${JSON.stringify(spec)}: ${status}`, () =>
    Effect.gen(function* () {
      yield* namespaceOf("acme", "ann", "edit")
      yield* kube("POST", "/api/v1/namespaces/acme/pods", { json: podOf("web") })
      const refused = yield* kube("POST", `${account}/token`, { json: { spec } })
      assert.strictEqual(refused.status, status, refused.body)
      assert.include(refused.json.message, words)
    }).pipe(Effect.provide(Memory))
  )
}

it.effect("after a key rotation the new key signs, and the old one's tokens verify until its removal", () =>
  Effect.gen(function* () {
    const { kubernetes } = (yield* SimulatedCloud).world
    yield* openToAll
    yield* namespaceOf("acme", "ann", "edit")
    const before = yield* tokenFor({})
    const asBefore = ask("GET", "/kubernetes/api", { headers: { authorization: `Bearer ${before}` } })
    rotateSigningKey(kubernetes)
    const after = yield* tokenFor({})
    assert.notStrictEqual(decodeProtectedHeader(before).kid, decodeProtectedHeader(after).kid)
    assert.strictEqual((yield* verified(before))._tag, "Success")
    assert.strictEqual((yield* verified(after))._tag, "Success")
    assert.strictEqual((yield* asBefore).status, 200)
    rotateSigningKey(kubernetes, 0)
    assert.strictEqual((yield* verified(before))._tag, "Failure")
    assert.strictEqual((yield* asBefore).status, 401)
  }).pipe(Effect.provide(Memory))
)
