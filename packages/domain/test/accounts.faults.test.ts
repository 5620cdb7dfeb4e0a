import { assert, it } from "@effect/vitest"
import { destroy } from "@portico/domain/accounts/wake"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { account, type Account, close, finalize, reopen, rowOf, Whole, working } from "./account.ts"
import { cleanCloud, everything } from "./cleanSlate.ts"
import { inTime, settle } from "./clock.ts"
import { inDyingProcess } from "./dying.ts"
import { callsOf, told, under } from "./faults.ts"

const ending = Whole({ ACCOUNT_CLOSURE_DAYS: "0" })

/** An account whose window is over, with a credential beside the first one, and what its wake does. */
const over = Effect.gen(function* () {
  const acme = yield* account
  yield* acme.mint("CI")
  yield* close(acme)
  const { closure, number } = yield* rowOf(acme)
  assert.isNotNull(closure)
  return { acme, destroying: destroy({ account: number, closure: closure ?? "" }, closure ?? "") }
})

/** Nothing is left, anywhere, but the account's own row, those of its credentials, which work for nobody, and what was told of them. */
const onlyTheRecord = Effect.fnUntraced(function* (acme: Account, because: string) {
  yield* cleanCloud(because)
  const row = yield* rowOf(acme)
  assert.deepInclude(row, { state: "destroyed", trying: false, refusal: null }, because)
  assert.deepStrictEqual(row.destroyed_projects, [acme.projectId], because)
  const { credentials, events, ...others } = yield* Memory
  const states = new Set([...credentials.values()].map((_) => `${_.kind} ${_.state}`))
  assert.deepStrictEqual(states, new Set(["api-key revoked"]), because)
  const revoked = [...events.values()].filter((_) => _.envelope["kind"] === "credential.revoked").map((_) => _.key)
  assert.sameMembers(revoked, [...credentials.keys()], because)
  for (const [table, rows] of Object.entries(others)) {
    assert.deepStrictEqual([...rows.values()], table === "accounts" ? [row] : [], `${because}: ${table}`)
  }
})

const calls = await Effect.runPromise(
  Effect.flatMap(over, ({ destroying }) => callsOf(inTime(destroying))).pipe(Effect.provide(ending))
)

const fails = Effect.fnUntraced(function* (fault: Fault) {
  const because = told(fault)
  const { acme, destroying } = yield* over
  const exit = yield* Effect.exit(under(fault, inTime(destroying)))
  if (Exit.isFailure(exit)) {
    const row = yield* rowOf(acme)
    assert.deepInclude(row, { state: "closing", trying: false, attempts: 1 }, because)
    assert.include(row.refusal, fault.service, because)
    assert.strictEqual((yield* Effect.flip(reopen(acme))).code, "account_destroying", because)
    yield* inTime(destroying)
    assert.strictEqual((yield* rowOf(acme)).attempts, 2, because)
  }
  yield* onlyTheRecord(acme, because)
  yield* destroying
  yield* onlyTheRecord(acme, `${because}, and the wake comes once more`)
}, Effect.provide(ending))

const dies = Effect.fnUntraced(function* (fault: Fault) {
  const because = `${told(fault)}, and the process is gone`
  const { acme, destroying } = yield* over
  yield* under(fault, inDyingProcess(destroying))
  const row = yield* rowOf(acme)
  if (row.state === "closing") {
    assert.deepInclude(row, { trying: true, attempts: 1, refusal: null }, because)
    assert.deepInclude(yield* finalize(acme, "hurry"), { destroying: true }, because)
    assert.strictEqual((yield* rowOf(acme)).destroyer, row.destroyer, `${because}, it is still that wake's`)
    // Longer than any lease of what it has begun.
    yield* TestClock.adjust("3 minutes")
    yield* settle
    yield* inTime(destroying)
  }
  yield* onlyTheRecord(acme, because)
}, Effect.provide(ending))

for (const call of calls) {
  const what = `${call.service} ${call.method} ${call.path} (${call.nth})`
  it.effect(`an account is destroyed whole although ${what} fails once`, () =>
    Effect.forEach(
      [
        { ...call, when: "before", as: { status: 503 } },
        { ...call, when: "before", as: { status: 403 } },
        { ...call, when: "after", as: "reset" },
        { ...call, when: "after", as: "garbage" }
      ] as const,
      fails,
      { discard: true }
    )
  )
  it.effect(`an account is destroyed whole although the process dies at ${what}`, () =>
    Effect.forEach(["before", "after"] as const, (when) => dies({ ...call, when, as: "hang" }), { discard: true })
  )
}

it.effect("closing, reopening and finalizing ask no other system", () =>
  Effect.gen(function* () {
    const acme = yield* account
    const asked = yield* callsOf(
      Effect.gen(function* () {
        yield* close(acme)
        yield* reopen(acme)
        yield* close(acme)
        yield* finalize(acme, "because")
      })
    )
    assert.deepStrictEqual(asked, [])
  }).pipe(Effect.provide(Whole()))
)

it.effect(
  "what refuses leaves the account closing with its words, is tried again after a pause, and at once on demand",
  () =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { acme } = yield* over
      const refuses = { service: "keystone", method: "DELETE", path: "/v3/projects/*" } as const
      yield* cloud.fault({ ...refuses, times: "always", when: "before", as: { status: 403 } })
      yield* working
      const attempts = (wanted: number) =>
        inTime(
          Effect.repeat(Effect.delay(rowOf(acme), "1 second"), { until: (_) => !_.trying && _.attempts === wanted })
        )

      const { refusal } = yield* attempts(1)
      assert.include(refusal, `${acme.projectId}: identity/project: keystone`)
      const listed = yield* finalize(acme)
      assert.deepInclude(listed, { state: "closing", destroying: true })
      assert.strictEqual(listed.refusal?.words, refusal)
      yield* attempts(2)
      // The first wake was given up for the one on demand, which pauses for a minute now.
      yield* TestClock.adjust("50 seconds")
      yield* settle
      assert.strictEqual((yield* rowOf(acme)).attempts, 2)
      yield* attempts(3)
      yield* cloud.clearFaults
      yield* inTime(Effect.repeat(Effect.delay(rowOf(acme), "1 second"), { until: (_) => _.state === "destroyed" }))
      yield* onlyTheRecord(acme, "it gave in")
    }).pipe(Effect.scoped, Effect.provide(ending))
)

it.effect("a client that hangs up stops nothing half way", () =>
  Effect.gen(function* () {
    const acme = yield* account
    const before = yield* everything
    for (const call of [Effect.asVoid(close(acme)), Effect.asVoid(Effect.orDie(reopen(acme)))]) {
      const request = yield* Effect.forkChild(Effect.orDie(call), { startImmediately: true })
      yield* Fiber.interrupt(request)
      yield* settle
    }
    const { events = [], ...tables } = (yield* everything).tables
    const { events: earlier = [], ...others } = before.tables
    assert.deepStrictEqual(tables, others)
    assert.deepStrictEqual(
      events.slice(earlier.length).map((_) => ("envelope" in _ ? _.envelope["kind"] : undefined)),
      ["credential.suspended", "credential.restored"]
    )
  }).pipe(Effect.provide(Whole()))
)
