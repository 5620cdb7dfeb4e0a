import { assert, describe, it } from "@effect/vitest"
import type { TooManyRequests } from "@portico/contract/Failures"
import { siteOf } from "@portico/domain/access/networks"
import { requestSignup } from "@portico/domain/signups/request"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Signups } from "@portico/store/Signups"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { cleanCloud, empty, tables } from "@portico/testing/cloud/cleanSlate"
import { inTime } from "@portico/testing/clock"
import { ann, approve, queued, request } from "./signup.ts"
import { Simulated, simulatedWith } from "@portico/testing/cloud/Simulated"

const rows = Effect.map(Memory, ({ signups }) => [...signups.values()])

const received = {
  status: "received",
  detail:
    "Thank you, the signup was received. If it is approved, an e-mail with a link goes to its address. " +
    "If your organisation uses the service already, nobody has to approve anything: ask its owner to invite you."
}

it.effect("a signup makes one row, and no other effect", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    assert.deepStrictEqual<unknown>(yield* request("Ann.Lee@ACME.example ", " Acme GmbH "), received)
    const [row, ...others] = yield* rows
    assert.deepInclude(row, {
      email: "Ann.Lee@acme.example",
      org_name: "Acme GmbH",
      org_key: "acme gmbh",
      state: "pending",
      attempt_id: null,
      project_id: null
    })
    assert.deepStrictEqual(others, [])
    assert.match(row?.signup_id ?? "", /^signup-[0-9a-f-]{36}$/)
    assert.deepStrictEqual<unknown>({ ...(yield* tables), signups: [] }, empty)
    assert.deepStrictEqual(yield* cloud.calls, [])
    yield* cleanCloud("a signup")
  }).pipe(Effect.provide(Simulated))
)

it.effect("every request gets the same answer, and is queued once", () =>
  Effect.gen(function* () {
    yield* inTime(approve(yield* queued("owner@globex.example", "Globex")))
    const cloud = yield* SimulatedCloud
    yield* cloud.clearCalls
    for (const [email, name] of [
      [ann, "Acme GmbH"],
      [ann, "Acme GmbH"],
      ["ANN@acme.example", "ACME  GMBH"],
      ["owner@globex.example", "Globex"],
      ["colleague@globex.example", "Globex"],
      ["owner@globex.example", "Initech"]
    ] as const) {
      assert.deepStrictEqual<unknown>(yield* request(email, name), received, email)
    }
    const waiting = (yield* rows).filter((_) => _.state === "pending").map((_) => [_.email, _.org_name])
    assert.deepStrictEqual(waiting, [
      [ann, "Acme GmbH"],
      ["colleague@globex.example", "Globex"],
      ["owner@globex.example", "Initech"]
    ])
    assert.deepStrictEqual(yield* cloud.calls, [])
  }).pipe(Effect.provide(Simulated))
)

it.effect("one address queues only a few organisations in a day, with the same answer", () =>
  Effect.gen(function* () {
    for (let n = 0; n < 5; n++) assert.deepStrictEqual<unknown>(yield* request(ann, `Org ${n}`), received)
    assert.lengthOf(yield* rows, 3)
    yield* TestClock.adjust("24 hours")
    yield* request(ann, "Org 5")
    assert.lengthOf(yield* rows, 4)
  }).pipe(Effect.provide(Simulated))
)

const refusal = <A, R>(effect: Effect.Effect<A, TooManyRequests, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag, code, detail }) => ({ _tag, code, detail }))

const refused = {
  _tag: "TooManyRequests" as const,
  code: "rate_limited" as const,
  detail: "Too many signups; try again later"
}

const few = simulatedWith({ SIGNUPS_PER_SOURCE: "2", SIGNUPS_TOTAL: "3", SIGNUPS_PER_EMAIL: "1" })

it.effect("one source is limited to a few requests in ten minutes, of any kind", () =>
  Effect.gen(function* () {
    yield* request(ann, "Acme")
    yield* request(ann, "Acme")
    assert.deepStrictEqual(yield* refusal(request("bob@acme.example", "Acme")), refused)
    yield* request("bob@acme.example", "Acme", "192.0.2.2")
    yield* TestClock.adjust("10 minutes")
    yield* request("eve@acme.example", "Acme")
  }).pipe(Effect.provide(few))
)

it.effect("all sources together are limited in ten minutes", () =>
  Effect.gen(function* () {
    for (const host of [1, 2, 3]) yield* request(`ann@org-${host}.example`, "Acme", `192.0.2.${host}`)
    assert.deepStrictEqual(yield* refusal(request("bob@acme.example", "Acme", "192.0.2.4")), refused)
    yield* TestClock.adjust("10 minutes")
    yield* request("bob@acme.example", "Acme", "192.0.2.4")
    assert.lengthOf(yield* rows, 4)
  }).pipe(Effect.provide(few))
)

it.effect("stored requests are bounded by the limit, and deleted by the next one", () =>
  Effect.gen(function* () {
    const { signupRequests } = yield* Memory
    for (let host = 0; host < 50; host++) yield* Effect.ignore(request(`a@org-${host}.example`, "A", `192.0.2.${host}`))
    assert.strictEqual(signupRequests.size, 3)
    yield* TestClock.adjust("10 minutes")
    yield* request()
    assert.strictEqual(signupRequests.size, 1)
  }).pipe(Effect.provide(few))
)

it.effect("requests of closed connections are counted together", () =>
  Effect.gen(function* () {
    const gone = (org: string) => requestSignup({ email: `a@${org}.example`, org_name: org }, undefined)
    yield* gone("a")
    yield* gone("b")
    assert.deepStrictEqual(yield* refusal(gone("c")), refused)
  }).pipe(Effect.provide(few))
)

it.effect("a request beyond the waiting ones is refused at once, and accepted when they end", () =>
  Effect.gen(function* () {
    const signups = yield* Signups
    const slow = Signups.of({ ...signups, request: () => Effect.never })
    const waiting = yield* Effect.forEach(Array.from({ length: 32 }), () =>
      Effect.forkChild(Effect.provideService(request(), Signups, slow), { startImmediately: true })
    )
    assert.deepStrictEqual(yield* refusal(request()), refused)
    yield* Fiber.interruptAll(waiting)
    yield* request()
  }).pipe(Effect.provide(Simulated))
)

describe("the counted source", () => {
  for (const [address, site] of [
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::", "fe80:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::2:3:4:5:6", "1:0:0:2::/64"]
  ] as const) {
    it(`of ${address} is ${site}`, () => assert.strictEqual(siteOf(address), site))
  }
})
