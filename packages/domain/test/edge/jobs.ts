import { reconcileExposures, sweepEdge } from "@portico/domain/edge/reconcile"
import type { Fault } from "@portico/simulator/Fault"
import { Memory } from "@portico/testing/store/Memory"
import { Duration, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "@portico/testing/clock"
import { inDyingProcess } from "@portico/testing/faults/dying"
import { type NamedCall, under } from "@portico/testing/faults/calls"
import type { Simulated } from "@portico/testing/cloud/Simulated"

export type Needs = Layer.Success<typeof Simulated>

/** The calls of an effect, but for those of logging in and of making a namespace, which have tests of their own. */
export const ownCalls = <E>(calls: Effect.Effect<ReadonlyArray<NamedCall>, E>) =>
  Effect.runPromise(
    Effect.map(Effect.provide(calls, TestClock.layer()), (all) =>
      all.filter((_) => _.service !== "keystone" && !others.test(_.path))
    )
  )

const others = /namespaces\/\*$|limitranges|resourcequotas|serviceaccounts|rolebindings|reviews/

/** A process dies at the call; by the time that others look, its leases are over. */
export const dies = Effect.fnUntraced(function* <A, E>(fault: Fault, effect: Effect.Effect<A, E, Needs>) {
  yield* under(fault, inDyingProcess(effect))
  const { leases } = yield* Memory
  leases.clear()
})

/** The replicas look at every exposure that they know of. */
export const attended = Effect.gen(function* () {
  yield* TestClock.adjust("150 seconds")
  yield* inTime(reconcileExposures(Duration.seconds(10)))
})

/** They do all that is theirs. */
export const jobs = Effect.andThen(
  attended,
  Effect.suspend(() => inTime(sweepEdge()))
)
