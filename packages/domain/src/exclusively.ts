import { Leases } from "@portico/store/Leases"
import { type Duration, Effect } from "effect"

/**
 * Runs a change of a resource while no other change of it runs, over all
 * replicas.
 *
 * @param busy what the caller gets when its turn does not come in time
 * @param waiting how long it waits for its turn, if not as long as usual
 */
export const exclusively =
  <C>(resource: string, busy: () => Effect.Effect<never, C>, waiting?: Duration.Duration) =>
  <A, E, R>(change: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Leases, (_) => Effect.catchTag(_.holding(resource, change, waiting), "Held", busy))
