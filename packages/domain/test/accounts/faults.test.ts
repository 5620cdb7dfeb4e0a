import { sampled } from "@portico/testing/sample/sampled"
import { assert, it } from "@effect/vitest"
import { destroyAccount, reconcileAccounts } from "@portico/domain/accounts/destroy"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Accounts } from "@portico/store/Accounts"
import { Purges } from "@portico/store/Purges"
import { Memory } from "@portico/testing/store/Memory"
import { Clock, DateTime, type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { account, type Account, close, finalize, reopen, rowOf, Whole, working } from "./account.ts"
import { cleanCloud, everything } from "@portico/testing/cloud/cleanSlate"
import { inTime, settle } from "@portico/testing/clock"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { callsOf, faultsOf, whensOf, titleOf, under } from "@portico/testing/faults/calls"

const ending = Whole({ ACCOUNT_CLOSURE_DAYS: "0" })

const pass = (time: Duration.Input) => Effect.andThen(TestClock.adjust(time), settle)

/** An account whose window is over, with a credential beside the first one. */
const over = Effect.gen(function* () {
  const acme = yield* account
  yield* acme.mint("CI")
  yield* close(acme)
  return acme
})

const seed = await seedOf(Effect.tap(over, () => TestClock.adjust("31 days")))
const begun = from(seed)

/** Nothing is left, anywhere, but the account's own row, those of its credentials, which work for nobody, and what was told of them and sold. */
const onlyTheRecord = Effect.fnUntraced(function* (acme: Account, because: string) {
  yield* cleanCloud(because)
  const row = yield* rowOf(acme)
  assert.deepInclude(row, { state: "destroyed", lease: null, refusal: null }, because)
  assert.deepStrictEqual(row.destroyed_projects, [acme.projectId], because)
  const { credentials, events, tierChanges: _, ...others } = yield* Memory
  const states = new Set([...credentials.values()].map((_) => `${_.kind} ${_.state}`))
  assert.deepStrictEqual(states, new Set(["api-key revoked"]), because)
  const revoked = [...events.values()].filter((_) => _.envelope["kind"] === "credential.revoked").map((_) => _.key)
  assert.sameMembers(revoked, [...credentials.keys()], because)
  for (const [table, rows] of Object.entries(others)) {
    assert.deepStrictEqual([...rows.values()], table === "accounts" ? [row] : [], `${because}: ${table}`)
  }
})

const calls = await Effect.runPromise(
  begun(() => callsOf(inTime(reconcileAccounts))).pipe(Effect.provide(TestClock.layer()))
)

const fails = (fault: Fault) =>
  begun(
    Effect.fnUntraced(function* (acme) {
      const because = titleOf(fault)
      yield* under(fault, inTime(reconcileAccounts))
      const row = yield* rowOf(acme)
      if (row.state === "closing") {
        assert.deepInclude(row, { lease: null, attempts: 1, failures: 1 }, because)
        assert.include(row.refusal, fault.service, because)
        assert.strictEqual((yield* Effect.flip(reopen(acme))).code, "account_destroying", because)
        yield* TestClock.adjust("1 minute")
        yield* inTime(reconcileAccounts)
        assert.strictEqual((yield* rowOf(acme)).attempts, 2, because)
      }
      yield* onlyTheRecord(acme, because)
      yield* TestClock.adjust("1 hour")
      yield* reconcileAccounts
      yield* onlyTheRecord(acme, `${because}, and nothing is due any more`)
    })
  )

const dies = (fault: Fault) =>
  begun(
    Effect.fnUntraced(function* (acme) {
      const because = `${titleOf(fault)}, and the process is gone`
      yield* under(fault, inDyingProcess(reconcileAccounts))
      const row = yield* rowOf(acme)
      if (row.state === "closing") {
        assert.deepInclude(row, { attempts: 1, refusal: null }, because)
        assert.isNotNull(row.lease, because)
        assert.deepInclude(yield* finalize(acme, "hurry"), { destroying: true }, because)
        assert.deepStrictEqual(yield* rowOf(acme), row, `${because}, it is still that process's`)
        // Longer than any lease of what it has begun.
        yield* TestClock.adjust("3 minutes")
        yield* settle
        yield* inTime(reconcileAccounts)
      }
      yield* onlyTheRecord(acme, because)
    })
  )

for (const call of sampled("calls of a destruction", 20, calls)) {
  const what = `${call.service} ${call.method} ${call.path} (${call.nth})`
  it.effect(`an account is destroyed whole although ${what} fails once`, () =>
    Effect.forEach(sampled(`${what} fails`, 1, faultsOf(call)), fails, { discard: true })
  )
  it.effect(`an account is destroyed whole although the process dies at ${what}`, () =>
    Effect.forEach(sampled(`${what} dies`, 1, whensOf(call)), (when) => dies({ ...call, when, as: "hang" }), {
      discard: true
    })
  )
}

it.effect("a destruction renews the leases of the account and its project while it runs", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const acme = yield* over
    yield* cloud.fault({
      service: "neutron",
      method: "DELETE",
      path: "**",
      times: "always",
      when: "before",
      as: "hang"
    })
    yield* Effect.forkScoped(reconcileAccounts)
    const ends = Effect.gen(function* () {
      const account = yield* rowOf(acme)
      const purge = yield* (yield* Purges).find(acme.projectId)
      return [account, purge].map((_) => (_?.lease_ends ? DateTime.toEpochMillis(_.lease_ends) : 0))
    })
    const lasting = Effect.map(Effect.all([ends, Clock.currentTimeMillis]), ([all, now]) =>
      all.map((end) => Math.round((end - now) / 1000))
    )
    for (let second = 0; second < 29; second++) yield* pass("1 second")
    const [account = 0, project = 0] = yield* lasting
    // That of the project is renewed before each write as well.
    assert.isAbove(project, 91)
    yield* pass("1 second")
    const [renewed = 0, renewedToo = 0] = yield* lasting
    assert.deepStrictEqual([account, renewed, renewedToo], [151, 180, 120])
  }).pipe(Effect.scoped, Effect.provide(ending))
)

it.effect("closing, reopening and finalizing call no other system", () =>
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

it.effect("a process whose lease another one has ends its destruction, and the account stays the other's", () =>
  begun((acme) =>
    Effect.gen(function* () {
      const cloud = yield* SimulatedCloud
      const { accounts } = yield* Memory
      const entry = yield* Effect.flatMap(Accounts, (_) => _.claim)
      if (entry === undefined) return yield* Effect.die("no account is due")
      // Each call is in time, and all of them together take longer than until the next renewal.
      for (const service of ["nova", "cinder", "neutron", "keystone", "zitadel"] as const) {
        const slow = { service, method: "GET", path: "**", when: "before", times: "always" } as const
        yield* cloud.fault({ ...slow, as: { delay_ms: 9_000 } })
      }
      const destroying = yield* Effect.forkChild(destroyAccount(entry))
      yield* settle
      accounts.set(entry.number, { ...(yield* rowOf(acme)), lease: "another process's" })
      yield* Effect.repeat(pass("1 second"), { times: 30 })
      assert.isDefined(destroying.pollUnsafe())
      const { failures, lease, refusal } = yield* rowOf(acme)
      assert.deepStrictEqual({ failures, lease, refusal }, { failures: 0, lease: "another process's", refusal: null })
    })
  )
)

it.effect("a refused destruction stays closing with the reason, and is retried later or on demand", () =>
  Effect.gen(function* () {
    const cloud = yield* SimulatedCloud
    const acme = yield* over
    const refuses = { service: "keystone", method: "DELETE", path: "/v3/projects/*" } as const
    yield* cloud.fault({ ...refuses, times: "always", when: "before", as: { status: 403 } })
    yield* working
    const attempts = (wanted: number) =>
      inTime(
        Effect.repeat(Effect.delay(rowOf(acme), "1 second"), {
          until: (_) => _.lease === null && _.attempts === wanted
        })
      )

    const { refusal } = yield* attempts(1)
    assert.include(refusal, `${acme.projectId}: identity/project: keystone`)
    const listed = yield* finalize(acme)
    assert.deepInclude(listed, { state: "closing", destroying: true })
    assert.deepStrictEqual([listed.refusal?.message, listed.refusal?.words], [refusal, refusal])
    yield* attempts(2)
    // The attempt on demand pauses for a minute again.
    yield* TestClock.adjust("50 seconds")
    yield* settle
    assert.strictEqual((yield* rowOf(acme)).attempts, 2)
    yield* attempts(3)
    yield* cloud.clearFaults
    yield* inTime(Effect.repeat(Effect.delay(rowOf(acme), "1 second"), { until: (_) => _.state === "destroyed" }))
    yield* onlyTheRecord(acme, "it gave in")
  }).pipe(Effect.scoped, Effect.provide(ending))
)

it.effect("an interrupted closing or reopening completes", () =>
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
