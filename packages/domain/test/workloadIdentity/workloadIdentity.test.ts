import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@portico/contract/Access"
import { whoami } from "@portico/domain/access/whoami"
import { mint } from "@portico/domain/credentials/mint"
import { rotate } from "@portico/domain/credentials/rotate"
import { holdProject } from "@portico/domain/projects/hold"
import { restoreProject } from "@portico/domain/projects/restore"
import { exchange, sweepTokens } from "@portico/domain/workloadIdentity/exchange"
import { changeIssuer, removeIssuer } from "@portico/domain/workloadIdentity/issuers"
import { rotateSigningKey, signingKeys } from "@portico/simulator/kubernetes/issuer"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Policies } from "@portico/store/Policies"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { administrator, callerOf, refused, resolve, withTier } from "@portico/testing/tenants/caller"
import { inTime, settle } from "@portico/testing/clock"
import { cluster, fetches, forged, jwksUri, mapping, projectedToken, subject } from "./cluster.ts"
import { Process, Simulated } from "@portico/testing/cloud/Simulated"
import { tenantOf } from "@portico/testing/tenants/tenant"

/** A tenant, its cluster, and the mapping between the two. */
const prepared = Effect.gen(function* () {
  const projectId = yield* tenantOf("standard")
  yield* cluster
  const { issuer_id } = yield* mapping(projectId)
  return { projectId, caller: callerOf(projectId), issuerId: issuer_id }
})

const exchanged = (caller: Caller, subject_token: string) => exchange(caller, { subject_token })

/** The words with which an exchange is refused. */
const words = (caller: Caller, token: string) =>
  Effect.match(exchanged(caller, token), {
    onSuccess: () => "accepted",
    onFailure: (_) => `${_._tag}: ${_.detail}`
  })

const unmapped = "Forbidden: The issuer of the subject token is mapped to no tenant that the caller acts for"
const bad = "Unauthorized: The subject token is not accepted"
const unreachable = "Unavailable: The keys of the subject token's issuer cannot be fetched right now"

describe("an exchange", () => {
  it.effect("issues a token to a service account for an hour, with the mapped tenant and tier", () =>
    Effect.gen(function* () {
      const { caller, issuerId, projectId } = yield* prepared
      const answer = yield* exchanged(caller, yield* projectedToken())
      assert.deepStrictEqual(
        { ...answer, access_token: "" },
        {
          access_token: "",
          issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
          token_type: "Bearer",
          expires_in: 3600
        }
      )
      assert.match(answer.access_token, /^portico_wi_[A-Za-z0-9_-]{43}$/)
      assert.deepStrictEqual(whoami(yield* resolve(answer.access_token)), {
        user_id: `${issuerId}/ci/builder`,
        user_name: "",
        user_email: "",
        roles: [],
        tenant: { id: projectId, name: "Acme GmbH", source: "workload_identity" },
        all_projects: false,
        tier: 1,
        credential_id: issuerId,
        credential_label: subject
      })
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("issues a token that, once used, does not wait behind unknown ones of its source", () =>
    Effect.gen(function* () {
      const { caller } = yield* prepared
      const { access_token } = yield* exchanged(caller, yield* projectedToken())
      const source = "192.0.2.1"
      assert.strictEqual(yield* refused(access_token, source), "accepted")
      // It has to be looked up again.
      yield* TestClock.adjust("60 seconds")
      const unknown = Array.from({ length: 1000 }, (_, index) => refused(`portico_wi_${index}`, source))
      const flood = yield* Effect.forkChild(Effect.all(unknown, { concurrency: "unbounded" }))
      yield* settle
      const known = yield* Effect.forkChild(refused(access_token, source))
      yield* settle
      assert.isDefined(known.pollUnsafe(), "it waits")
      assert.strictEqual(yield* Fiber.join(known), "accepted")
      yield* Fiber.interrupt(flood)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("issues a token that cannot rotate the key it was requested with", () =>
    Effect.gen(function* () {
      const { caller } = yield* prepared
      const tenant = yield* Effect.orDie(Effect.fromNullishOr(caller.tenant))
      const own = yield* mint(caller, tenant, { kind: "api-key", tier: 1, label: "CI", expires_in_days: 1 })
      yield* TestClock.adjust("1430 minutes")
      const { access_token } = yield* exchanged(yield* resolve(own.pat), yield* projectedToken())
      // As at tier 2, which is what a rotation of another's takes.
      const workload = withTier(yield* resolve(access_token), 2)
      const rotated = Effect.flip(rotate(workload, tenant, own.credential_id, { overlap_seconds: 60 }))
      assert.strictEqual((yield* rotated).code, "credential_above_caller")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is open to the operator for any tenant, and to a customer for the own one, at any tier", () =>
    Effect.gen(function* () {
      const { caller } = yield* prepared
      const token = yield* projectedToken()
      const other = callerOf(yield* tenantOf("discovery", "Globex"))
      assert.strictEqual(yield* words(administrator, token), "accepted")
      assert.strictEqual(yield* words(withTier(caller, 0), token), "accepted")
      assert.strictEqual(yield* words(other, token), unmapped)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("makes no call for an unmapped or disabled issuer, or another tenant's", () =>
    Effect.gen(function* () {
      const { caller, issuerId } = yield* prepared
      const cloud = yield* SimulatedCloud
      const other = callerOf(yield* tenantOf("discovery", "Globex"))
      const token = yield* projectedToken()
      yield* cloud.clearCalls
      for (const iss of [
        "https://elsewhere.example",
        "https://cluster.acme.example/",
        "kubernetes/serviceaccount",
        "",
        "\0"
      ]) {
        assert.strictEqual(yield* words(caller, yield* forged({ claims: { iss } })), unmapped, iss)
      }
      assert.strictEqual(yield* words(other, token), unmapped)
      yield* changeIssuer(issuerId, { enabled: false })
      assert.strictEqual(yield* words(caller, token), unmapped)
      assert.strictEqual(yield* words(administrator, token), unmapped)
      assert.deepStrictEqual(yield* cloud.calls, [])
      yield* changeIssuer(issuerId, { enabled: true })
      assert.strictEqual(yield* words(caller, token), "accepted")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is refused in a closing tenant, and unmapped in a removed one", () =>
    Effect.gen(function* () {
      const { caller, projectId } = yield* prepared
      const token = yield* projectedToken()
      yield* holdProject(projectId, "project_deletion")
      assert.include(yield* words(administrator, token), "Conflict: Concurrent deletion state")
      ;(yield* Memory).tenants.delete(projectId)
      assert.strictEqual(yield* words(caller, token), unmapped)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("the keys of an issuer", () => {
  it.effect("are fetched once for a thousand concurrent exchanges", () =>
    Effect.gen(function* () {
      const { caller } = yield* prepared
      const token = yield* projectedToken()
      const all = yield* Effect.all(
        Array.from({ length: 1000 }, () => words(caller, token)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(all), new Set(["accepted"]))
      assert.strictEqual(yield* fetches, 1)
      assert.strictEqual((yield* Memory).workloadTokens.size, 1000)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("are cached for ten minutes", () =>
    Effect.gen(function* () {
      const { caller } = yield* prepared
      const token = yield* projectedToken()
      yield* words(caller, token)
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual(yield* words(caller, token), "accepted")
      assert.strictEqual(yield* fetches, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* words(caller, token), "accepted")
      assert.strictEqual(yield* fetches, 2)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("are fetched again for an unknown key, every half minute at most", () =>
    Effect.gen(function* () {
      const { caller } = yield* prepared
      const { kubernetes } = (yield* SimulatedCloud).world
      assert.strictEqual(yield* words(caller, yield* projectedToken()), "accepted")
      rotateSigningKey(kubernetes)
      const token = yield* projectedToken()
      assert.strictEqual(yield* words(caller, token), bad)
      assert.strictEqual(yield* fetches, 1)
      yield* TestClock.adjust("30 seconds")
      const all = yield* Effect.all(
        Array.from({ length: 100 }, () => words(caller, token)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(all), new Set(["accepted"]))
      assert.strictEqual(yield* fetches, 2)
      for (let i = 0; i < 50; i++) {
        assert.strictEqual(yield* words(caller, yield* forged({ header: { kid: `none-${i}` } })), bad)
      }
      assert.strictEqual(yield* fetches, 2)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("are refused after the next fetch when the cluster has withdrawn them", () =>
    Effect.gen(function* () {
      const { caller } = yield* prepared
      const { kubernetes } = (yield* SimulatedCloud).world
      const token = yield* projectedToken()
      assert.strictEqual(yield* words(caller, token), "accepted")
      rotateSigningKey(kubernetes, 0)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* words(caller, token), bad)
    }).pipe(Effect.provide(Simulated))
  )

  const faults = [
    { status: 500 },
    { status: 503 },
    { status: 404 },
    { status: 302 },
    "reset",
    "hang",
    "garbage"
  ] as const
  for (const as of faults) {
    it.effect(`unavailable (${JSON.stringify(as)}): 503, and they are soon fetched again`, () =>
      Effect.gen(function* () {
        const { caller } = yield* prepared
        const cloud = yield* SimulatedCloud
        const token = yield* projectedToken()
        const path = "/openid/v1/jwks"
        yield* cloud.fault({ service: "kubernetes", method: "GET", path, times: "always", when: "before", as })
        assert.strictEqual(yield* inTime(words(caller, token)), unreachable)
        assert.strictEqual(yield* words(caller, token), unreachable, "at once")
        assert.strictEqual(yield* fetches, 1)
        yield* cloud.clearFaults
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* words(caller, token), "accepted")
      }).pipe(Effect.provide(Simulated))
    )
  }

  for (const [what, body] of [
    ["no list", { keys: {} }],
    ["a list of something else", { keys: ["key"] }],
    ["private keys", undefined],
    ["200 KiB", { keys: [{ kty: "RSA", n: "x".repeat(200_000) }] }],
    ["a thousand keys", { keys: Array.from({ length: 1000 }, () => ({ kty: "RSA" })) }]
  ] as const) {
    it.effect(`malformed (${what}): 503`, () =>
      Effect.gen(function* () {
        const { caller } = yield* prepared
        const cloud = yield* SimulatedCloud
        const token = yield* projectedToken()
        const { kubernetes } = cloud.world
        const leaked = { ...kubernetes.tokenIssuer.keys[0], kid: signingKeys(kubernetes)[0]?.kid, alg: "RS256" }
        const as = { status: 200, body: body ?? { keys: [leaked] } }
        yield* cloud.fault({ service: "kubernetes", method: "GET", path: "/openid/v1/jwks", when: "before", as })
        assert.strictEqual(yield* words(caller, token), unreachable)
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("come from the discovery document's address, if the document confirms its own", () =>
    Effect.gen(function* () {
      const { caller, issuerId } = yield* prepared
      const { kubernetes } = (yield* SimulatedCloud).world
      const token = yield* projectedToken()
      const discovered = Effect.gen(function* () {
        yield* changeIssuer(issuerId, {
          jwks_uri: null,
          discovery_url: jwksUri.replace("openid/v1/jwks", ".well-known/openid-configuration")
        })
        return yield* words(caller, token)
      })
      assert.strictEqual(yield* discovered, "accepted")
      for (const elsewhere of [
        "https://192.0.2.1:6443/openid/v1/jwks",
        jwksUri.replace("cloud", "elsewhere"),
        "keys"
      ]) {
        kubernetes.tokenIssuer.jwksUri = elsewhere
        assert.strictEqual(yield* discovered, unreachable, elsewhere)
      }
      kubernetes.tokenIssuer.jwksUri = jwksUri
      kubernetes.tokenIssuer.issuer = "https://cluster.globex.example"
      assert.strictEqual(yield* discovered, unreachable)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("are still fetched when the first caller disconnects", () =>
    Effect.gen(function* () {
      const { caller } = yield* prepared
      const cloud = yield* SimulatedCloud
      const token = yield* projectedToken()
      const as = { delay_ms: 1000 }
      yield* cloud.fault({ service: "kubernetes", method: "GET", path: "/openid/v1/jwks", when: "before", as })
      const first = yield* Effect.forkChild(words(caller, token))
      yield* settle
      const second = yield* Effect.forkChild(words(caller, token))
      yield* settle
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* inTime(Fiber.join(second), "100 millis"), "accepted")
      assert.strictEqual(yield* fetches, 1)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("are still fetched when every caller disconnects, without a second fetch", () =>
    Effect.gen(function* () {
      const { caller } = yield* prepared
      const cloud = yield* SimulatedCloud
      const token = yield* projectedToken()
      const as = { delay_ms: 1000 }
      yield* cloud.fault({ service: "kubernetes", method: "GET", path: "/openid/v1/jwks", when: "before", as })
      for (let i = 0; i < 3; i++) {
        const asking = yield* Effect.forkChild(words(caller, token))
        yield* settle
        yield* Fiber.interrupt(asking)
      }
      assert.strictEqual(yield* inTime(words(caller, token), "100 millis"), "accepted")
      assert.strictEqual(yield* fetches, 1)
    }).pipe(Effect.provide(Simulated))
  )
})

describe("the issued token", () => {
  const given = Effect.gen(function* () {
    const it = yield* prepared
    return { ...it, token: (yield* exchanged(it.caller, yield* projectedToken())).access_token }
  })

  it.effect("is not stored, and needs no call", () =>
    Effect.gen(function* () {
      const { token } = yield* given
      const cloud = yield* SimulatedCloud
      const memory = yield* Memory
      yield* cloud.clearCalls
      yield* resolve(token)
      assert.deepStrictEqual(yield* cloud.calls, [])
      assert.notInclude(JSON.stringify(Object.values(memory).map((rows) => [...rows.entries()])), token)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("ends after exactly an hour, also in a process that cached it, and is pruned", () =>
    Effect.gen(function* () {
      const { token } = yield* given
      yield* TestClock.adjust("3599 seconds")
      assert.strictEqual(yield* refused(token), "accepted")
      yield* sweepTokens
      assert.strictEqual((yield* Memory).workloadTokens.size, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* refused(token), "Unauthorized: Token is not active")
      yield* sweepTokens
      assert.strictEqual((yield* Memory).workloadTokens.size, 0)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("cannot be guessed from its parts", () =>
    Effect.gen(function* () {
      const { token } = yield* given
      for (const guess of [token.slice(0, -1), `${token}A`, token.toUpperCase(), "portico_wi_", token.slice(11)]) {
        assert.strictEqual(yield* refused(guess), "Unauthorized: Token is not active", guess)
      }
    }).pipe(Effect.provide(Simulated))
  )

  const ends: Readonly<Record<string, (issuerId: string) => ReturnType<typeof removeIssuer | typeof changeIssuer>>> = {
    "is removed": (id) => removeIssuer(id),
    "is disabled": (id) => changeIssuer(id, { enabled: false }),
    "has another tier": (id) => changeIssuer(id, { tier: 2 }),
    "is written again as it was": (id) => changeIssuer(id, {})
  }
  for (const [what, end] of Object.entries(ends)) {
    it.effect(`is refused on every replica when its mapping ${what}`, () =>
      Effect.gen(function* () {
        const { issuerId, token } = yield* given
        const other = yield* Layer.build(Layer.fresh(Process))
        yield* settle
        assert.strictEqual(yield* refused(token), "accepted")
        assert.strictEqual(yield* Effect.provide(refused(token), other), "accepted")
        yield* end(issuerId)
        // This process at once, the others when they hear of it.
        assert.strictEqual(yield* refused(token), "Unauthorized: Token is not active")
        yield* settle
        assert.strictEqual(yield* Effect.provide(refused(token), other), "Unauthorized: Token is not active")
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("is not issued when the mapping is removed during the exchange", () =>
    Effect.gen(function* () {
      const { caller, issuerId } = yield* prepared
      const cloud = yield* SimulatedCloud
      const token = yield* projectedToken()
      for (const end of [changeIssuer(issuerId, { tier: 2 }), removeIssuer(issuerId)]) {
        const as = { delay_ms: 1000 }
        yield* cloud.fault({ service: "kubernetes", method: "GET", path: "/openid/v1/jwks", when: "before", as })
        const late = yield* Effect.forkChild(words(caller, token))
        yield* settle
        yield* end
        assert.strictEqual(yield* inTime(Fiber.join(late), "100 millis"), unmapped)
      }
      assert.strictEqual((yield* Memory).workloadTokens.size, 0)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("is held with its tenant, accepted after the restoration, and removed with it", () =>
    Effect.gen(function* () {
      const { projectId, token } = yield* given
      const other = yield* Layer.build(Layer.fresh(Process))
      yield* settle
      const everywhere = Effect.gen(function* () {
        yield* settle
        return [yield* refused(token), yield* Effect.provide(refused(token), other)]
      })
      const both = (one: string) => [one, one]
      assert.deepStrictEqual(yield* everywhere, both("accepted"))
      yield* holdProject(projectId, "account_closure")
      assert.deepStrictEqual(yield* everywhere, both("Unauthorized: Credential is suspended"))
      yield* inTime(restoreProject(projectId, "account_closure"))
      assert.deepStrictEqual(yield* everywhere, both("accepted"))
      ;(yield* Memory).tenants.delete(projectId)
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* everywhere, both("Unauthorized: Token is not active"))
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("obeys the account's policies from their creation", () =>
    Effect.gen(function* () {
      const { projectId, token } = yield* given
      yield* settle
      assert.strictEqual((yield* resolve(token)).tier, 1)
      yield* (yield* Policies).put({ project_id: projectId, ou: "", max_tier: 0, denies: ["dns"], updated_by: "test" })
      yield* settle
      const caller = yield* resolve(token)
      assert.strictEqual(caller.tier, 0)
      assert.deepStrictEqual(
        caller.denies?.map((_) => _.deny),
        ["dns"]
      )
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("cannot mint a credential above its tier", () =>
    Effect.gen(function* () {
      const { token } = yield* given
      const caller = yield* resolve(token)
      if (caller.tenant === null) return assert.fail("it has no tenant")
      const refusal = yield* Effect.flip(mint(caller, caller.tenant, { kind: "api-key", tier: 2, label: "more" }))
      assert.strictEqual(refusal._tag, "Forbidden")
      yield* inTime(mint(caller, caller.tenant, { kind: "api-key", tier: 1, label: "as much" }))
    }).pipe(Effect.provide(Simulated))
  )
})
