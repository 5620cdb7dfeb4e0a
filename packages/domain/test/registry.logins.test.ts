import { assert, describe, it } from "@effect/vitest"
import { credentialOf } from "./registry.ts"
import { revoke } from "@portico/domain/credentials/revoke"
import { Logins } from "@portico/domain/registry/Logins"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { fixtures } from "@portico/simulator/Fixtures"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { inTime, settle } from "./clock.ts"
import { Simulated } from "./simulated.ts"

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

  it.effect("that is not good is asked about in the same way, whatever is wrong with it", () =>
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

  it.effect("that is longer than any is not passed on", () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      assert.strictEqual(yield* outcome("x".repeat(4097), "y"), refusedLogin)
      assert.strictEqual(yield* outcome("x", "y".repeat(4097)), refusedLogin)
      assert.deepStrictEqual(yield* cloud.calls, [])
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("says nothing of a pair while the provider cannot be reached", () =>
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

describe("whoever guesses", () => {
  it.effect("with one name gets ten tries a minute, from wherever", () =>
    Effect.gen(function* () {
      const { client_id, client_secret } = yield* credentialOf(1)
      for (let i = 0; i < 10; i++) {
        assert.strictEqual(yield* outcome(client_id, `guess-${i}`, `192.0.2.${i}`), refusedLogin)
      }
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* outcome(client_id, "guess", "192.0.2.77"), "throttled 40")
      assert.strictEqual(yield* outcome(client_id, client_secret, "192.0.2.78"), "throttled 40", "though it is right")
      yield* TestClock.adjust("40 seconds")
      assert.notInclude(yield* outcome(client_id, client_secret, "192.0.2.78"), "throttled")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("from one address gets thirty tries a minute, with whatever names", () =>
    Effect.gen(function* () {
      const { client_id, client_secret, credential_id } = yield* credentialOf(1)
      for (let i = 0; i < 30; i++) assert.strictEqual(yield* outcome(`name-${i}`, "guess"), refusedLogin)
      const cloud = yield* SimulatedCloud
      yield* cloud.clearCalls
      assert.strictEqual(yield* outcome("another", "guess"), "throttled 60")
      assert.strictEqual(yield* outcome(client_id, client_secret), "throttled 60")
      assert.deepStrictEqual(yield* cloud.calls, [], "nothing is looked at")
      assert.strictEqual(yield* outcome(client_id, client_secret, "192.0.2.2"), credential_id)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("does not keep those out who were let in before, or who bring a token", () =>
    Effect.gen(function* () {
      const { client_id, client_secret, credential_id, pat } = yield* credentialOf(1)
      assert.strictEqual(yield* outcome(client_id, client_secret), credential_id)
      for (let i = 0; i < 10; i++) yield* outcome(client_id, `guess-${i}`, "192.0.2.66")
      assert.include(yield* outcome(client_id, "guess", "192.0.2.66"), "throttled")
      assert.strictEqual(yield* outcome(client_id, client_secret), credential_id)
      assert.strictEqual(yield* outcome(client_id, pat, "192.0.2.3"), credential_id)
      for (let i = 0; i < 30; i++) yield* outcome(`name-${i}`, "guess")
      assert.strictEqual(yield* outcome(client_id, client_secret), credential_id, "from the same address")
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("with many tries at once gets few more", () =>
    Effect.gen(function* () {
      const { client_id } = yield* credentialOf(1)
      const all = yield* Effect.all(
        Array.from({ length: 500 }, (_, i) => outcome(client_id, `guess-${i}`, `192.0.2.${i % 250}`)),
        { concurrency: "unbounded" }
      )
      const tried = all.filter((_) => _ === refusedLogin).length
      assert.isAtLeast(tried, 10)
      assert.isAtMost(tried, 10 + 16)
    }).pipe(Effect.provide(Simulated))
  )

  it.effect("and hangs up has tried", () =>
    Effect.gen(function* () {
      const { client_id } = yield* credentialOf(1)
      const cloud = yield* SimulatedCloud
      const as = { delay_ms: 1000 }
      const path = "/oauth/v2/token"
      yield* cloud.fault({ service: "zitadel", method: "POST", path, times: "always", when: "before", as })
      for (let i = 0; i < 10; i++) {
        const fiber = yield* Effect.forkChild(outcome(client_id, `guess-${i}`))
        yield* settle
        yield* Fiber.interrupt(fiber)
      }
      assert.include(yield* inTime(outcome(client_id, "guess", "192.0.2.9")), "throttled")
    }).pipe(Effect.provide(Simulated))
  )
})
