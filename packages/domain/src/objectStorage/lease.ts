import { Conflict } from "@portico/contract/Failures"
import { Leases } from "@portico/store/Leases"
import { Effect } from "effect"
import { Owned } from "../Owned.ts"

/** One change at a time of a tenant's buckets and keys, over all replicas, which a caller who hangs up does not stop. */
export const changingObjectStorage = Effect.fnUntraced(function* <A, E, R>(
  projectId: string,
  effect: Effect.Effect<A, E, R>
) {
  const owned = yield* Owned
  const leases = yield* Leases
  return yield* owned
    .run(leases.holding(`object-storage/${projectId}`, effect))
    .pipe(Effect.catchTag("Held", () => Conflict.concurrentChange("the object storage of the tenant")))
})
