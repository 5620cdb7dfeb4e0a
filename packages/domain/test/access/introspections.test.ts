import { assert, it } from "@effect/vitest"
import { DeadMemory } from "@portico/domain/access/DeadMemory"
import { mint } from "@portico/domain/credentials/mint"
import { fixtures } from "@portico/simulator/Fixtures"
import type { FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ownerOf, refused } from "@portico/testing/tenants/caller"
import { inTime, settle } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"

const operator = fixtures.idp.operatorToken
const introspection = { service: "zitadel", method: "POST", path: "/oauth/v2/introspect", when: "before" } as const

/** How often the provider was asked about any token. */
const asked = Effect.gen(function* () {
  return (yield* (yield* SimulatedCloud).calls).filter((_) => _.path === introspection.path).length
})

it.effect("100 concurrent requests with one token ask the provider once", () =>
  Effect.gen(function* () {
    yield* (yield* SimulatedCloud).fault({ ...introspection, as: { delay_ms: 100 } })
    const many = Array.from({ length: 100 }, () => refused(operator))
    const answers = yield* inTime(Effect.all(many, { concurrency: "unbounded" }), "50 millis")
    assert.deepStrictEqual([...new Set(answers)], ["accepted"])
    assert.strictEqual(yield* asked, 1)
  }).pipe(Effect.provide(Simulated))
)

it.effect("requests that wait with an interrupted one are answered", () =>
  Effect.gen(function* () {
    yield* (yield* SimulatedCloud).fault({ ...introspection, as: { delay_ms: 100 } })
    const first = yield* Effect.forkDetach(refused(operator))
    yield* settle
    const second = yield* Effect.forkDetach(refused(operator))
    yield* settle
    yield* Fiber.interrupt(first)
    assert.strictEqual(yield* inTime(Fiber.join(second), "50 millis"), "accepted")
    assert.strictEqual(yield* asked, 1)
  }).pipe(Effect.provide(Simulated))
)

it.effect("the next request asks again after the only one was interrupted", () =>
  Effect.gen(function* () {
    yield* (yield* SimulatedCloud).fault({ ...introspection, as: "hang" })
    const first = yield* Effect.forkDetach(refused(operator))
    yield* settle
    yield* Fiber.interrupt(first)
    assert.strictEqual(yield* refused(operator), "accepted")
  }).pipe(Effect.provide(Simulated))
)

it.effect("an answer is cached for 60 seconds", () =>
  Effect.gen(function* () {
    yield* refused(operator)
    yield* TestClock.adjust("59 seconds")
    yield* refused(operator)
    assert.strictEqual(yield* asked, 1)
    yield* TestClock.adjust("1 second")
    yield* refused(operator)
    assert.strictEqual(yield* asked, 2)
  }).pipe(Effect.provide(Simulated))
)

it.effect("an answer is not cached beyond the end of its token", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const { pat } = yield* mint(caller, tenant, { kind: "mcp", tier: 0, label: "a day", expires_in_days: 1 })
    yield* TestClock.adjust("86370 seconds")
    const before = yield* asked
    assert.strictEqual(yield* refused(pat), "accepted")
    yield* TestClock.adjust("29 seconds")
    assert.strictEqual(yield* refused(pat), "accepted")
    assert.strictEqual(yield* asked, before + 1)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* refused(pat), "Unauthorized: Credential has expired")
    assert.strictEqual(yield* asked, before + 2)
  }).pipe(Effect.provide(Simulated))
)

const unreachable = "Unavailable: The identity provider cannot be reached"
const unusable = "Unauthorized: Token introspection failed"
const dead = "Unauthorized: Token is not active"
const failures: ReadonlyArray<readonly [FaultKind, string]> = [
  ["reset", unreachable],
  ["hang", unreachable],
  [{ delay_ms: 11_000 }, unreachable],
  [{ status: 500 }, unusable],
  [{ status: 401 }, unusable],
  ["garbage", unusable],
  [{ status: 200, body: { active: "yes" } }, unusable],
  [{ status: 200, body: { active: true } }, unusable],
  [{ status: 200, body: { active: false } }, dead]
]

for (const [as, words] of failures) {
  it.effect(`a provider that answers ${JSON.stringify(as)}: ${words}`, () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ ...introspection, times: "always", as })
      assert.strictEqual(yield* inTime(refused(operator)), words)
      // Nothing of it is kept.
      yield* cloud.clearFaults
      assert.strictEqual(yield* refused(operator), "accepted")
      // And what was answered before still holds while it lasts.
      yield* cloud.fault({ ...introspection, times: "always", as })
      assert.strictEqual(yield* refused(operator), "accepted")
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* inTime(refused(operator)), words)
    }).pipe(Effect.provide(Simulated))
  )
}

/** An answer for the operator's token, as Zitadel gives it; the clock of a test begins at 0. */
const good = {
  active: true,
  token_type: "Bearer",
  sub: fixtures.idp.operatorUserId,
  exp: 3600,
  iat: 0,
  nbf: 0,
  "urn:zitadel:iam:org:project:roles": { admin: {} }
}
const { token_type: _, ...untyped } = good

/** What stands in an answer beside a user, roles and a time that fit. */
const answers: ReadonlyArray<readonly [string, object, string]> = [
  ["a Bearer", good, "accepted"],
  ["a bearer in small letters", { ...good, token_type: "bearer" }, "accepted"],
  ["Keycloak's access token", { ...good, typ: "Bearer" }, "accepted"],
  ["a JWT access token", { ...good, typ: "at+jwt", token_use: "access" }, "accepted"],
  ["a clock that is a little behind", { ...good, nbf: 20 }, "accepted"],
  ["a token without a type", untyped, "accepted"],
  ["a type that is null", { ...good, token_type: null }, dead],
  ["a token type that is not a string", { ...good, token_type: ["Bearer"] }, dead],
  ["Keycloak's refresh token", { ...good, typ: "Refresh", token_type: "Refresh" }, dead],
  ["a refresh token of an earlier Keycloak", { ...untyped, typ: "Refresh" }, dead],
  ["an offline token", { ...good, typ: "Offline", token_type: "Offline" }, dead],
  ["an ID token", { ...good, typ: "ID", token_type: "ID" }, dead],
  ["a refresh token that is called a Bearer", { ...good, typ: "Refresh" }, dead],
  ["a use of refreshing", { ...good, token_use: "refresh_token" }, dead],
  ["a use of naming the user", { ...good, token_use: "id" }, dead],
  ["a token of another scheme", { ...good, token_type: "DPoP" }, dead],
  [
    "a token that is bound to a key",
    { ...good, cnf: { "x5t#S256": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2" } },
    dead
  ],
  ["a token that begins later", { ...good, nbf: 3000 }, dead],
  ["a token that is over", { ...good, exp: -31 }, dead],
  ["no user", { ...good, sub: "" }, unusable],
  ["an expiry that is not a number", { ...good, exp: "3600" }, unusable],
  ["an active flag that is not a boolean", { ...good, active: "true" }, unusable]
]

for (const [title, body, expected] of answers) {
  it.effect(`an answer with ${title}: ${expected}`, () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      yield* cloud.fault({ ...introspection, times: "always", as: { status: 200, body } })
      assert.strictEqual(yield* refused("a-token"), expected)
    }).pipe(Effect.provide(Simulated))
  )
}

const held = "TooManyRequests: Too many requests from this address brought tokens that are not active; try again later"

/** Dead tokens that nobody has seen, all at once. */
let tokens = 0
const flood = (count: number, source: string) =>
  Effect.all(
    Array.from({ length: count }, () => refused(`dead-${tokens++}`, source)),
    { concurrency: "unbounded" }
  )

it.effect("an inactive token is asked about again, and after a second answer not for five seconds", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* refused("dead"), dead)
    assert.strictEqual(yield* refused("dead"), dead)
    assert.strictEqual(yield* asked, 2)
    yield* TestClock.adjust("1 second")
    for (let i = 0; i < 100; i++) assert.strictEqual(yield* refused("dead"), dead)
    assert.strictEqual(yield* asked, 3)
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(yield* refused("dead"), dead)
    assert.strictEqual(yield* asked, 4)
  }).pipe(Effect.provide(Simulated))
)

it("a token accepted meanwhile is cached as inactive after two more answers, not one", () => {
  const memory = new DeadMemory()
  memory.note("key", 0)
  memory.forget("key")
  memory.note("key", 2_000)
  assert.isFalse(memory.has("key", 2_001))
  memory.note("key", 3_000)
  assert.isTrue(memory.has("key", 3_001))
  memory.forget("key")
  assert.isFalse(memory.has("key", 3_002))
})

it.effect("of 4,000 inactive tokens, 32 are asked about at a time, and few of one source", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* cloud.fault({ ...introspection, times: "always", as: { delay_ms: 20 } })
    const flooding = yield* Effect.forkChild(flood(4000, "192.0.2.1"))
    yield* settle
    assert.isAtMost(yield* asked, 32)
    const answers = yield* inTime(Fiber.join(flooding))
    assert.deepStrictEqual([...new Set(answers)].toSorted(), [held, dead])
    assert.isBelow(yield* asked, 300)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a flooding source delays neither other sources nor its own known tokens", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const { pat } = yield* mint(caller, tenant, { kind: "api-key", tier: 0, label: "new" })
    assert.strictEqual(yield* refused(operator, "192.0.2.1"), "accepted")
    yield* inTime(flood(1000, "192.0.2.1"))
    const others = yield* Effect.forkChild(flood(1000, "192.0.2.1"))
    yield* settle
    assert.strictEqual(yield* refused(pat, "192.0.2.2"), "accepted")
    // What was known has to be asked about again, and does not wait behind the flood.
    yield* TestClock.adjust("60 seconds")
    const more = yield* Effect.forkChild(flood(1000, "192.0.2.1"))
    yield* settle
    assert.strictEqual(yield* refused(operator, "192.0.2.1"), "accepted")
    yield* Fiber.interrupt(others)
    yield* Fiber.interrupt(more)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a known token takes the next slot, ahead of others of its source", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* refused(operator, "192.0.2.1"), "accepted")
    yield* TestClock.adjust("60 seconds")
    yield* (yield* SimulatedCloud).fault({ ...introspection, times: "always", as: { delay_ms: 1000 } })
    const others = yield* Effect.forkChild(flood(1000, "192.0.2.1"))
    yield* settle
    const known = yield* Effect.forkChild(refused(operator, "192.0.2.1"))
    yield* settle
    // One second until a place is free, and one for the answer.
    for (let second = 0; second < 2; second++) yield* Effect.andThen(TestClock.adjust("1 second"), settle)
    assert.isDefined(known.pollUnsafe())
    assert.strictEqual(yield* Fiber.join(known), "accepted")
    yield* Fiber.interrupt(others)
  }).pipe(Effect.provide(Simulated))
)

it.effect("a new valid token of a flooding source is accepted when it is repeated", () =>
  Effect.gen(function* () {
    const { caller, tenant } = yield* ownerOf("standard")
    const { pat } = yield* mint(caller, tenant, { kind: "api-key", tier: 0, label: "new" })
    yield* inTime(flood(500, "2001:db8::1"))
    const others = yield* Effect.forkChild(flood(500, "2001:db8::2"))
    yield* settle
    assert.strictEqual(yield* refused(pat, "2001:db8:0:0:1::"), held)
    assert.strictEqual(yield* refused(pat, "2001:db8:0:0:1::"), "accepted")
    yield* Fiber.interrupt(others)
  }).pipe(Effect.provide(Simulated))
)

it.effect("an interrupted client's questions count against its source", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    yield* cloud.fault({ ...introspection, times: "always", as: { delay_ms: 1000 } })
    for (let round = 0; round < 4; round++) {
      const asking = yield* Effect.forkChild(flood(32, "192.0.2.1"))
      yield* settle
      yield* Fiber.interrupt(asking)
    }
    const at = (source: string) =>
      Effect.gen(function* () {
        const answers: Array<string> = []
        const asking = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 200 }, () => `dead-${tokens++}`),
            (token) => Effect.map(refused(token, source), (_) => answers.push(_)),
            { concurrency: "unbounded" }
          )
        )
        yield* settle
        yield* Fiber.interrupt(asking)
        return [...new Set(answers)]
      })
    assert.deepStrictEqual(yield* at("192.0.2.1"), [held])
    assert.deepStrictEqual(yield* at("192.0.2.2"), [])
  }).pipe(Effect.provide(Simulated))
)

it.effect("a question without a slot in ten seconds is dropped", () =>
  Effect.gen(function* () {
    yield* (yield* SimulatedCloud).fault({ ...introspection, times: "always", as: "hang" })
    const before = yield* Clock.currentTimeMillis
    const many = Array.from({ length: 100 }, (_, i) => refused(`token-${i}`, `198.51.100.${i}`))
    const answers = yield* inTime(Effect.all(many, { concurrency: "unbounded" }))
    assert.deepStrictEqual([...new Set(answers)], [unreachable])
    // 32 at once, twice: the second ones get the places of the first ones at the last moment.
    assert.isAtMost(yield* asked, 64)
    assert.isAtMost((yield* Clock.currentTimeMillis) - before, 21_000)
  }).pipe(Effect.provide(Simulated))
)

it.effect("tokens in the gateway's own form count against their source too", () =>
  Effect.gen(function* () {
    const answers = yield* inTime(
      Effect.all(
        Array.from({ length: 1000 }, (_, i) => refused(`portico_wi_${i}`, "192.0.2.1")),
        { concurrency: "unbounded" }
      )
    )
    assert.isBelow(answers.filter((_) => _ === dead).length, 300)
    assert.include(answers, held)
  }).pipe(Effect.provide(Simulated))
)
