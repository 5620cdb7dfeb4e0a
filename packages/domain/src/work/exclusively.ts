import { LeaseHeld, Leases } from "@portico/store/Leases"
import { Fence } from "@portico/upstream/Fence"
import { type Duration, Effect } from "effect"

/**
 * Runs a change of a resource under a lease: across all replicas no other change of the resource
 * runs meanwhile.
 *
 * @param busy the caller's failure when the lease is not free in time
 * @param waiting how long to wait for the lease; the default of {@link Leases} without it
 */
export const exclusively =
  <C>(resource: string, busy: () => Effect.Effect<never, C>, waiting?: Duration.Duration) =>
  <A, E, R>(change: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Leases, (_) => Effect.catchTag(_.holding(resource, fenced(change), waiting), "Held", busy))

/** No write is sent after another process has the lease. */
const fenced = <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(LeaseHeld, (held) => Effect.provideService(change, Fence, held))
