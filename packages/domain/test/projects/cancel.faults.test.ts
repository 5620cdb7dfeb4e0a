import { assert, it } from "@effect/vitest"
import { cancelDeletion } from "@portico/domain/projects/cancel"
import { reconcilePurges } from "@portico/domain/projects/purge"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Purges } from "@portico/store/Purges"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { inTime, pass } from "@portico/testing/clock"
import { callsOf, titleOf, under, waitsForAnswer, whensOf } from "@portico/testing/faults/calls"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { someFaultsOf } from "@portico/testing/faults/some"
import { during, type Outage, someOutagesAt } from "@portico/testing/faults/outages"
import { sampled } from "@portico/testing/sample/sampled"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import { acmeBesideGlobex, carriedOut, condemned, liveAgain } from "./purged.ts"

/** The network is gone when the object gateway does not answer: the deletion pauses, and can be cancelled. */
const seed = await seedOf(
  Effect.gen(function* () {
    const acme = yield* acmeBesideGlobex
    const cloud = yield* SimulatedCloud
    yield* condemned(acme.projectId)
    const destroyBuckets = { service: "rgw", method: "DELETE", path: "/admin/user" } as const
    yield* cloud.fault({ ...destroyBuckets, times: "always", when: "before", as: { status: 503 } })
    yield* inTime(reconcilePurges)
    yield* cloud.clearFaults
    const entry = yield* (yield* Purges).find(acme.projectId)
    assert.deepInclude(entry, { state: "purging", lease: null, cancelled: false })
    return acme
  })
)
const paused = from(seed)
type Acme = typeof seed.made

const calls = await Effect.runPromise(
  Effect.provide(
    paused(({ projectId }) => callsOf(inTime(cancelDeletion(projectId)))),
    TestClock.layer()
  )
)

/** Once cancelled it comes to that in the end, whoever carries it out, and may be asked for again meanwhile. */
const broughtBack = Effect.fnUntraced(function* (acme: Acme, because: string) {
  const entry = yield* carriedOut(acme.projectId)
  assert.deepInclude(entry, { state: "cancelled", lease_ends: null, restored: acme.live, refusal: null }, because)
  yield* liveAgain(acme, because)
  assert.strictEqual((yield* Effect.flip(inTime(cancelDeletion(acme.projectId)))).code, "not_being_deleted", because)
})

/** The caller hears that all is back, or that it is not yet. */
const answered = Effect.fnUntraced(function* (
  acme: Acme,
  exit: Effect.Success<ReturnType<typeof cancelled>>,
  because: string
) {
  if (Exit.isSuccess(exit)) {
    assert.deepStrictEqual(exit.value.restored_credentials, acme.live, because)
    return yield* liveAgain(acme, because)
  }
  const failure = yield* Effect.flip(exit)
  assert.include(["upstream_failed", "deletion_step_under_way"], failure.code, because)
})

const cancelled = ({ projectId }: Acme) => Effect.exit(inTime(cancelDeletion(projectId)))

const fails = (fault: Fault) =>
  paused((acme) =>
    Effect.gen(function* () {
      const because = titleOf(fault)
      yield* answered(acme, yield* under(fault, cancelled(acme)), because)
      yield* broughtBack(acme, because)
    })
  )

/** It is tried again and again while the service is out. */
const suffers = (outage: Outage) =>
  paused((acme) =>
    Effect.gen(function* () {
      const because = outage.title
      yield* during(
        outage,
        Effect.gen(function* () {
          yield* answered(acme, yield* cancelled(acme), because)
          yield* pass(60)
          yield* inTime(reconcilePurges)
        })
      )
      yield* broughtBack(acme, because)
    })
  )

const dies = (fault: Fault) =>
  paused((acme) =>
    Effect.gen(function* () {
      const because = `${titleOf(fault)}, and the process is gone`
      yield* under(fault, inDyingProcess(cancelDeletion(acme.projectId)))
      yield* pass(130)
      yield* broughtBack(acme, because)
    })
  )

const isHungUpOn = (fault: Fault) =>
  paused((acme) =>
    Effect.gen(function* () {
      const because = `${titleOf(fault)}, and the client hangs up`
      const asking = yield* Effect.forkDetach(cancelDeletion(acme.projectId))
      yield* under(fault, waitsForAnswer(asking))
      assert.isUndefined(asking.pollUnsafe(), because)
      yield* Fiber.interrupt(asking)
      yield* pass(60)
      assert.strictEqual((yield* (yield* Purges).find(acme.projectId))?.state, "cancelled", because)
      yield* broughtBack(acme, because)
    })
  )

for (const [index, call] of sampled("calls of a cancelled deletion", 6, [...calls.entries()])) {
  const name = `${call.service} ${call.method} ${call.path} (${call.nth})`
  it.effect(`a cancelled deletion restores everything, once, when ${name} fails`, () =>
    Effect.forEach(someFaultsOf(call), fails, { discard: true })
  )
  it.effect(`a cancelled deletion restores everything after an outage that begins at ${name}`, () =>
    Effect.forEach(someOutagesAt(calls, index), suffers, { discard: true })
  )
  it.effect(`a cancelled deletion is completed by another replica when the process dies at ${name}`, () =>
    Effect.forEach(sampled(`cancel dies ${name}`, 1, whensOf(call)), (when) => dies({ ...call, when, as: "hang" }), {
      discard: true
    })
  )
  it.effect(`a cancelled deletion completes when the client disconnects at ${name}`, () =>
    Effect.forEach(
      sampled(`cancel is hung up on ${name}`, 1, whensOf(call)),
      (when) => isHungUpOn({ ...call, when, as: { delay_ms: 5000 } }),
      { discard: true }
    )
  )
}
