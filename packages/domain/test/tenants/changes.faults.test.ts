import { assert, describe, it } from "@effect/vitest"
import type { Tier } from "@portico/contract/Tiers"
import { moveTier } from "@portico/domain/tenants/moveTier"
import { suspend } from "@portico/domain/tenants/suspend"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect, Exit, Fiber, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { inTime, pass } from "@portico/testing/clock"
import { callsOf, type NamedCall, titleOf, under, waitsForAnswer, whensOf } from "@portico/testing/faults/calls"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { someFaultsOf } from "@portico/testing/faults/some"
import { sampled } from "@portico/testing/sample/sampled"
import { from, seedOf } from "@portico/testing/cloud/seeded"
import type { Simulated } from "@portico/testing/cloud/Simulated"
import { rowOf, tierTagsOf, volumes } from "@portico/testing/tenants/tenant"
import { withNamespace } from "../databases/databases.ts"

type Needs = Layer.Success<typeof Simulated>

/** A tenant with something in each service that a change of its quotas has to look at. */
const furnished = Effect.gen(function* () {
  const projectId = yield* withNamespace("standard")
  yield* volumes(projectId, [10, 20])
  return projectId
})

const live = await seedOf(furnished)
const suspended = await seedOf(Effect.tap(furnished, (_) => inTime(suspend(_))))

interface Refusal {
  readonly _tag: string
  readonly code: string
}

interface Change {
  readonly what: string
  readonly seed: typeof live
  readonly of: (projectId: string) => Effect.Effect<unknown, Refusal, Needs>
  /** What the row says of a change that is half done. */
  readonly pending: Tier | "suspended"
  readonly tags: ReadonlyArray<string>
  readonly row: { readonly tier: Tier; readonly suspended: boolean }
}

const changes: ReadonlyArray<Change> = [
  {
    what: "a move",
    seed: live,
    of: (_) => moveTier(_, "extension"),
    pending: "extension",
    tags: ["tier:extension"],
    row: { tier: "extension", suspended: false }
  },
  {
    what: "a suspension",
    seed: live,
    of: (_) => suspend(_),
    pending: "suspended",
    tags: ["suspended", "tier:standard"],
    row: { tier: "standard", suspended: true }
  },
  {
    what: "a move that ends a suspension",
    seed: suspended,
    of: (_) => moveTier(_, "standard"),
    pending: "standard",
    tags: ["tier:standard"],
    row: { tier: "standard", suspended: false }
  }
]

/** Every quota of the tenant, as the services hold it, whether a tier names it or not. */
const quotas = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  const { find } = yield* Kubernetes
  const namespace = `db-${projectId}`
  return structuredClone({
    nova: world.nova.quotas[projectId],
    cinder: world.cinder.quotas[projectId],
    neutron: world.neutron.quotas[projectId]?.limits,
    octavia: world.octavia.quotas[projectId]?.limits,
    designate: world.designate.quotas[projectId]?.limits,
    barbican: world.barbican.quotas[projectId]?.limits,
    rgw: world.rgw.users[`tenant$${projectId}`],
    kubernetes: (yield* find(kinds.resourceQuota, { namespace, name: "tenant-quota" }))?.["spec"]
  })
})

const isForbiddenKeyManager = ({ as, service, when }: Fault): boolean =>
  service === "barbican" && when === "before" && typeof as === "object" && "status" in as && as.status === 403

for (const change of changes) {
  const begun = from(change.seed)
  const run = <A, E>(of: (projectId: string) => Effect.Effect<A, E, Needs>) =>
    Effect.runPromise(Effect.provide(begun(of), TestClock.layer()))

  const calls = await run((_) => callsOf(inTime(change.of(_))))
  const before = await run(quotas)
  const after = await run((_) => Effect.andThen(inTime(change.of(_)), quotas(_)))

  /** @param forbidden whether the key manager refused for good, which stops no change */
  const done = Effect.fnUntraced(function* (projectId: string, because: string, forbidden = false) {
    const { barbican, ...now } = yield* inTime(quotas(projectId))
    assert.deepStrictEqual({ ...now, barbican: forbidden ? after.barbican : barbican }, after, because)
    assert.sameMembers([...(yield* tierTagsOf(projectId))], [...change.tags], because)
    assert.deepInclude(
      yield* rowOf(projectId),
      { ...change.row, pending_tier: null, change_lease: null, closing: [] },
      because
    )
  })

  /** Either it has not begun, or it is known to be half done. */
  const halfDone = Effect.fnUntraced(function* (projectId: string, because: string) {
    const row = yield* rowOf(projectId)
    if (row?.pending_tier === null) {
      assert.deepStrictEqual(yield* inTime(quotas(projectId)), before, because)
      return row
    }
    // A tenant counts as suspended from the beginning of its suspension, and until the end of the move that ends it.
    const counts = change.row.suspended || change.seed === suspended
    assert.deepInclude(row, { tier: "standard", pending_tier: change.pending, suspended: counts }, because)
    return row
  })

  const fails = (fault: Fault) =>
    begun((projectId) =>
      Effect.gen(function* () {
        const because = titleOf(fault)
        const exit = yield* Effect.exit(under(fault, inTime(change.of(projectId))))
        if (Exit.isFailure(exit)) {
          const failure = yield* Effect.flip(exit)
          assert.include(["upstream_failed", "quota_write_failed"], failure.code, because)
          assert.propertyVal(yield* halfDone(projectId, because), "change_lease", null, because)
          yield* inTime(change.of(projectId))
        }
        yield* done(projectId, because, isForbiddenKeyManager(fault))
      })
    )

  const dies = (fault: Fault) =>
    begun((projectId) =>
      Effect.gen(function* () {
        const because = `${titleOf(fault)}, and the process is gone`
        yield* under(fault, inDyingProcess(change.of(projectId)))
        const row = yield* halfDone(projectId, because)
        if (row?.change_lease) {
          yield* pass(170)
          const busy = yield* Effect.flip(inTime(change.of(projectId), "100 millis"))
          assert.strictEqual(busy.code, "tier_move_in_progress", because)
          yield* pass(10)
        }
        yield* inTime(change.of(projectId))
        yield* done(projectId, because)
      })
    )

  const isHungUpOn = (fault: Fault) =>
    begun((projectId) =>
      Effect.gen(function* () {
        const because = `${titleOf(fault)}, and the client hangs up`
        const asking = yield* under(fault, Effect.tap(Effect.forkDetach(change.of(projectId)), waitsForAnswer))
        assert.isUndefined(asking.pollUnsafe(), `${because}: it is over before`)
        yield* Fiber.interrupt(asking)
        yield* pass(60)
        yield* done(projectId, because)
      })
    )

  const nameOf = ({ method, nth, path, service }: NamedCall) => `${service} ${method} ${path} (${nth})`

  describe(change.what, () => {
    for (const call of sampled(`calls of ${change.what}`, 8, calls)) {
      const name = nameOf(call)
      it.effect(`is complete or known as incomplete when ${name} fails, and a repeat completes it`, () =>
        Effect.forEach(someFaultsOf(call), fails, { discard: true })
      )
      it.effect(`can be repeated once its lease has ended when the process dies at ${name}`, () =>
        Effect.forEach(
          sampled(`${change.what} dies at ${name}`, 1, whensOf(call)),
          (when) => dies({ ...call, when, as: "hang" }),
          { discard: true }
        )
      )
      it.effect(`is completed when the client disconnects at ${name}`, () =>
        Effect.forEach(
          sampled(`${change.what} is hung up on at ${name}`, 1, whensOf(call)),
          (when) => isHungUpOn({ ...call, when, as: { delay_ms: 5000 } }),
          { discard: true }
        )
      )
    }
  })
}
