import { assert, describe, it } from "@effect/vitest"
import { mint } from "@portico/domain/credentials/mint"
import { ownerOf } from "@portico/testing/tenants/caller"
import { credentialOf } from "./registry.ts"
import { revoke } from "@portico/domain/credentials/revoke"
import { Logins } from "@portico/domain/registry/Logins"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { fixtures } from "@portico/simulator/Fixtures"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { inTime, settle } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"

const login = (user: string, password: string, source = "192.0.2.1") =>
  Effect.flatMap(Logins, (_) => _.login({ plane: "customer", user, password: Redacted.make(password), source }))

/** Who it makes of somebody, or how it refuses. */
const outcome = (user: string, password: string, source?: string) =>
  Effect.match(login(user, password, source), {
    onSuccess: (caller) => caller.credentialId ?? caller.userId,
    onFailure: (failure) => (failure._tag === "Throttled" ? `throttled ${failure.seconds}` : failure.code)
  })

const refusedLogin = "registry_login_refused"

describe("a login", () => {
  it.effect("is a client's id and secret, or any name and a token", () =>
    Effect.gen(function* () {
      const { client_id, client_secret, credential_id, pat } = yield* credentialOf(1)
      assert.strictEqual(yield* outcome(client_id, client_secret), credential_id)
      for (const name of [client_id, "token", "", "oauth2accesstoken"]) {
        assert.strictEqual(yield* outcome(name, pat), credential_id, name)
      }
      assert.strictEqual(yield* outcome("admin", fixtures.idp.operatorToken), fixtures.idp.operatorUserId)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("with any error makes the same calls", () =>
    Effect.gen(function* () {
      const first = yield* credentialOf(1)
      const second = yield* credentialOf(1)
      yield* revoke(second.caller, second.credential_id)
      const cloud = yield* SimulatedCloud
      const pairs: ReadonlyArray<readonly [string, string]> = [
        [first.client_id, "wrong"],
        [first.client_id, second.client_secret],
        ["nobody", first.client_secret],
        ["nobody", "wrong"],
        ["", "wrong"],
        ["nobody", ""],
        ["", ""],
        [second.client_id, second.client_secret],
        ["token", second.pat],
        ["token", "portico_wi_none"],
        [first.client_id, "x".repeat(4000)]
      ]
      for (const [index, [user, password]] of pairs.entries()) {
        yield* cloud.clearCalls
        assert.strictEqual(yield* outcome(user, password, `192.0.2.${index}`), refusedLogin)
        const asked = (yield* cloud.calls).map((_) => _.path)
        const issued = password === "" || password.startsWith("portico_wi_")
        assert.deepStrictEqual(
          asked,
          [...(issued ? [] : ["/oauth/v2/introspect"]), "/oauth/v2/token"],
          `${user}:${password}`
        )
      }
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("beyond the longest length is not sent on", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      assert.strictEqual(yield* outcome("x".repeat(4097), "y"), refusedLogin)
      assert.strictEqual(yield* outcome("x", "y".repeat(4097)), refusedLogin)
      assert.deepStrictEqual(yield* cloud.calls, [])
    }).pipe(Effect.provide(Simulated))
  )

  for (const [kind, body] of [
    ["no type", { access_token: "a-token" }],
    ["another type", { access_token: "a-token", token_type: "mac" }],
    ["an empty token", { access_token: "", token_type: "Bearer" }]
  ] as const) {
    it.effect(`answered by the provider with ${kind} is a 503, not a refusal`, () =>
      Effect.gen(function* () {
        const { client_id, client_secret, credential_id } = yield* credentialOf(1)
        const cloud = yield* SimulatedCloud
        const call = { service: "zitadel", method: "POST", path: "/oauth/v2/token", when: "before" } as const
        yield* cloud.fault({ ...call, as: { status: 200, body } })
        assert.strictEqual(yield* outcome(client_id, client_secret), "identity_provider_unreachable")
        assert.strictEqual(yield* outcome(client_id, client_secret), credential_id)
      }).pipe(Effect.provide(Simulated))
    )
  }

  it.effect("is a 503 while the provider cannot be reached", () =>
    Effect.gen(function* () {
      const { client_id, client_secret } = yield* credentialOf(1)
      const cloud = yield* SimulatedCloud
      const fault = { service: "zitadel", method: "POST", times: "always", when: "before" } as const
      for (const path of ["/oauth/v2/introspect", "/oauth/v2/token"]) {
        yield* cloud.fault({ ...fault, path, as: "reset" })
        for (let i = 0; i < 40; i++) {
          assert.strictEqual(yield* inTime(outcome(client_id, client_secret)), "identity_provider_unreachable")
        }
        yield* cloud.clearFaults
        // Nobody has tried anything.
        assert.notInclude(yield* outcome(client_id, client_secret), "throttled")
      }
    }).pipe(Effect.provide(Simulated))
  )
})

/** Bad logins of one source with as many names, none of them seen before, at once. */
let names = 0
const flood = (count: number, source?: string) =>
  Effect.all(
    Array.from({ length: count }, () => outcome(`name-${names}`, `guess-${names++}`, source)),
    { concurrency: "unbounded" }
  )

describe("bad logins", () => {
  it.effect("of one address or name, a few dozen of them, do not block a good login", () =>
    Effect.gen(function* () {
      const { client_id, client_secret, credential_id, pat } = yield* credentialOf(1)
      for (let i = 0; i < 40; i++) assert.strictEqual(yield* outcome(client_id, `guess-${i}`), refusedLogin)
      assert.strictEqual(yield* outcome(client_id, client_secret), credential_id)
      assert.strictEqual(yield* outcome(client_id, pat), credential_id)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("in hundreds are asked about at their source's pace, and other sources are not delayed", () =>
    Effect.gen(function* () {
      const { client_id, client_secret, credential_id } = yield* credentialOf(1)
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      const flooding = yield* Effect.forkChild(flood(2000))
      const all = yield* inTime(Fiber.join(flooding))
      assert.deepStrictEqual([...new Set(all)].toSorted(), [refusedLogin, "throttled 1"])
      assert.isBelow((yield* cloud.calls).length, 400)
      assert.strictEqual(yield* outcome(client_id, client_secret, "192.0.2.2"), credential_id)
      assert.strictEqual(yield* outcome(client_id, client_secret, "2001:db8::1"), credential_id)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("in hundreds delay a good login of their source, which succeeds when repeated", () =>
    Effect.gen(function* () {
      const { client_id, client_secret, credential_id, pat } = yield* credentialOf(1)
      const known = yield* credentialOf(1)
      yield* outcome(known.client_id, known.client_secret)
      yield* inTime(flood(500))
      // The turns of the next seconds are taken by others.
      const others = yield* Effect.forkChild(flood(500))
      yield* settle
      assert.strictEqual(yield* outcome(known.client_id, known.client_secret), known.credential_id, "was in before")
      assert.strictEqual(yield* outcome(client_id, client_secret), "throttled 1")
      assert.strictEqual(yield* outcome("token", pat), "throttled 1")
      assert.strictEqual(yield* inTime(outcome("token", pat)), credential_id)
      assert.strictEqual(yield* inTime(outcome(client_id, client_secret)), credential_id)
      yield* Fiber.interrupt(others)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("of any number of sources are asked about sixteen at a time, apart from tokens", () =>
    Effect.gen(function* () {
      const { client_id, credential_id, pat } = yield* credentialOf(1)
      const cloud = yield* SimulatedCloud
      const path = "/oauth/v2/token"
      const as = { delay_ms: 1000 }
      yield* cloud.fault({ service: "zitadel", method: "POST", path, times: "always", when: "before", as })
      yield* cloud.clearCalls
      const guesses = Array.from({ length: 100 }, (_, i) => outcome(`name-${i}`, `slow-${i}`, `198.51.100.${i}`))
      const asking = yield* Effect.forkChild(Effect.all(guesses, { concurrency: "unbounded" }))
      yield* settle
      assert.lengthOf(
        (yield* cloud.calls).filter((_) => _.path === path),
        16
      )
      assert.strictEqual(yield* outcome(client_id, pat, "198.51.100.200"), credential_id)
      yield* Fiber.interrupt(asking)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("when repeated are not asked about again for a few seconds", () =>
    Effect.gen(function* () {
      const { client_id } = yield* credentialOf(1)
      const cloud = yield* SimulatedCloud
      yield* outcome(client_id, "guess")
      yield* TestClock.adjust("1 second")
      yield* outcome(client_id, "guess")
      yield* cloud.clearCalls
      for (let i = 0; i < 20; i++) assert.strictEqual(yield* outcome(client_id, "guess"), refusedLogin)
      assert.deepStrictEqual(yield* cloud.calls, [])
      yield* TestClock.adjust("5 seconds")
      yield* outcome(client_id, "guess")
      assert.isAbove((yield* cloud.calls).length, 0)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("do not include good logins of many clients of one source, whose secrets are tried as tokens", () =>
    Effect.gen(function* () {
      const { caller, tenant } = yield* ownerOf("extension")
      const clients = yield* Effect.replicateEffect(
        inTime(mint(caller, tenant, { kind: "api-key", tier: 0, label: "docker" })),
        120
      )
      for (const { client_id, client_secret, credential_id } of clients) {
        const answer = yield* Effect.forkChild(outcome(client_id, client_secret))
        yield* settle
        assert.isDefined(answer.pollUnsafe(), "it waits for no turn")
        assert.strictEqual(yield* Fiber.join(answer), credential_id)
      }
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("do not delay good ones of one source", () =>
    Effect.gen(function* () {
      const { client_id, client_secret, credential_id } = yield* credentialOf(1)
      for (let i = 0; i < 300; i++) assert.strictEqual(yield* outcome(client_id, client_secret), credential_id)
      const other = yield* credentialOf(1)
      assert.strictEqual(yield* outcome(other.client_id, other.client_secret), other.credential_id)
    }).pipe(Effect.provide(Simulated))
  )
})
