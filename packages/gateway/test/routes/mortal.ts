import type { Fault } from "@portico/simulator/Fault"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { mounts } from "@portico/simulator/Wire"
import { pass, repeatInTime, settle } from "@portico/testing/clock"
import { mortalClock } from "@portico/testing/faults/mortal"
import { drawn, isEverything, seedOfRun } from "@portico/testing/sample/sampled"
import { Memory } from "@portico/testing/store/Memory"
import { Clock, Context, Effect, Layer, Scope } from "effect"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import type { Write } from "./census.ts"

/** The gateway that is left has the jobs that clean up behind the dead one. */
export const Everything = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.map(Server, ({ url }) => ({
        ...gatewaySettings(url),
        ACCOUNTS_SECONDS: "5",
        SWEEP_SECONDS: "15",
        EDGE_SECONDS: "10",
        EDGE_SWEEP_SECONDS: "60"
      }))
    )
  ),
  Layer.provideMerge(TestGateway.cloud)
)

/** Longer than any lease, and than any job waits after its end. */
export const cleanedUp = pass(300)

/** Whatever is asked from now on gets no answer. */
const silence = [...new Set(Object.values(mounts))].flatMap((service) =>
  ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].map((method): Fault => ({
    service,
    method,
    path: "**",
    times: "always",
    when: "before",
    as: "hang"
  }))
)

/**
 * Another replica, which dies on demand: no call of it is answered any more, no pause of it ends, and nothing that it
 * would do at its end is done. It stays so until the file is over.
 */
export const mortal = Effect.gen(function* () {
  let dead = false
  const cloud = yield* SimulatedCloud
  const unlessDead = Effect.suspend(() => (dead ? Effect.never : Effect.void))
  const clock = mortalClock(yield* Clock.Clock, () => unlessDead)
  const built = yield* Layer.build(TestGateway.replica).pipe(
    Effect.provideService(Clock.Clock, clock),
    Effect.provideService(Scope.Scope, yield* Scope.make())
  )
  const { agentUrl, url } = Context.get(built, TestGateway)
  const kill = Effect.gen(function* () {
    // What goes on beside the call that hangs hangs at its next call.
    yield* Effect.forEach(silence, cloud.fault, { discard: true })
    yield* settle
    dead = true
    yield* cloud.clearFaults
  })
  return { agentUrl, url, kill }
})

/** What the dead one holds goes to whoever waits for it, or comes later: a lease in PostgreSQL ends by itself. */
export const leasesEnd = Effect.gen(function* () {
  const { leases } = yield* Memory
  const held = [...leases.values()]
  leases.clear()
  yield* Effect.forEach(held, (_) => _.turn.release(1), { discard: true })
})

export interface Death {
  readonly write: Write
  readonly when: Fault["when"]
}

/** Some of the deaths at these writes: the domain's tests let the process die at each of the long operations'. */
export const someDeaths = (of: string, writes: ReadonlyArray<Write>): ReadonlyArray<Death> =>
  drawn(
    seedOfRun ?? 1,
    of,
    isEverything ? 4 : 1,
    writes.flatMap((write) => (["before", "after"] as const).map((when) => ({ write, when })))
  )

export const titleOf = ({ when, write }: Death): string =>
  `killed ${when} ${write.service} ${write.method} ${write.path}, call ${write.nth}`

/** Until a call waits for an answer that does not come. */
export const hangs = Effect.gen(function* () {
  const { calls } = yield* SimulatedCloud
  yield* repeatInTime(
    Effect.map(calls, (_) => _.some(({ status }) => status === null)),
    (_) => _
  )
})
