import { sampled } from "@portico/testing/sample/sampled"
import { assert, it } from "@effect/vitest"
import { reconcilePurges } from "@portico/domain/projects/purge"
import type { Fault, FaultKind } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Purges } from "@portico/store/Purges"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { inTime, pass, settle } from "@portico/testing/clock"
import { callsOf, titleOf, whensOf } from "@portico/testing/faults/calls"
import { inMortalProcess } from "@portico/testing/faults/mortal"
import { acmeBesideGlobex, carriedOut, condemned, gone, liveAgain } from "./purged.ts"
import { from, seedOf } from "@portico/testing/cloud/seeded"

/** All but the buckets is gone when the object gateway refuses, and then the network cannot be looked at. */
const seed = await seedOf(
  Effect.gen(function* () {
    const acme = yield* acmeBesideGlobex
    const cloud = yield* SimulatedCloud
    const fails = { when: "before", times: "always" } as const
    yield* condemned(acme.projectId)
    yield* cloud.fault({ service: "rgw", method: "DELETE", path: "/admin/user", ...fails, as: { status: 403 } })
    yield* cloud.fault({ service: "keystone", method: "GET", path: "/v3/projects/*", ...fails, as: { status: 503 } })
    yield* inTime(reconcilePurges)
    yield* cloud.clearFaults
    yield* pass(10)
    const entry = yield* (yield* Purges).find(acme.projectId)
    assert.deepInclude(entry, { state: "restoring", lease: null })
    return acme
  })
)
const halfway = from(seed)

const calls = await Effect.runPromise(
  Effect.provide(
    halfway(() => callsOf(inTime(reconcilePurges))),
    TestClock.layer()
  )
)

const kinds: ReadonlyArray<FaultKind> = [{ status: 503 }, { status: 403 }, { status: 409 }, "reset", "hang", "garbage"]

/** The project is live, says why it was not deleted, and can be deleted when nothing refuses any more. */
const over = Effect.fnUntraced(function* (acme: typeof seed.made, because: string) {
  const entry = yield* carriedOut(acme.projectId)
  assert.deepInclude(entry, { state: "refused", lease_ends: null, restored: acme.live }, because)
  assert.deepStrictEqual(
    entry?.refusal,
    { step: "object-storage/buckets", message: "rgw destroy user: simulated 403" },
    because
  )
  yield* liveAgain(acme, because)
  yield* condemned(acme.projectId)
  assert.isUndefined(yield* carriedOut(acme.projectId), because)
  yield* gone(acme, because)
})

for (const call of sampled("calls of a cancellation", 10, calls)) {
  const name = `${call.service} ${call.method} ${call.path} (${call.nth})`
  it.effect(`removed parts are restored, once, when ${name} fails`, () =>
    Effect.forEach(
      whensOf(call).flatMap((when) =>
        sampled(`${when} ${name}`, 1, kinds).map((as): Fault => ({ ...call, times: 3, when, as }))
      ),
      (fault) =>
        halfway((acme) =>
          Effect.gen(function* () {
            yield* (yield* SimulatedCloud).fault(fault)
            yield* over(acme, titleOf(fault))
          })
        ),
      { discard: true }
    )
  )
  it.effect(`another replica completes the restoration when the process dies at ${name}`, () =>
    Effect.forEach(
      sampled(name, 1, whensOf(call)).map((when): Fault => ({ ...call, when, as: "hang" })),
      (fault) =>
        halfway((acme) =>
          Effect.gen(function* () {
            const cloud = yield* SimulatedCloud
            yield* cloud.fault(fault)
            const kill = yield* inMortalProcess(reconcilePurges)
            yield* settle
            kill()
            yield* cloud.clearFaults
            yield* pass(130)
            yield* over(acme, `${titleOf(fault)}, and the process is gone`)
          })
        ),
      { discard: true }
    )
  )
}

it.effect("during its restoration it is not live, and not destroyed further", () =>
  halfway((acme) =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* Memory).tenants.get(acme.projectId)?.closing, ["project_deletion"])
      const entry = yield* (yield* Purges).find(acme.projectId)
      assert.strictEqual(entry?.state, "restoring")
      assert.strictEqual(entry?.refusal?.step, "object-storage/buckets")
    })
  )
)
