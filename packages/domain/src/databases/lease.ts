import { Conflict } from "@portico/contract/Failures"
import { Leases } from "@portico/store/Leases"
import { Effect } from "effect"
import { Owned } from "../Owned.ts"

/** One at a time in a tenant: everything that draws on the ceilings of its databases, or changes them. */
export const leaseOf = (projectId: string): string => `databases/${projectId}`

/**
 * Runs a change of a tenant's databases while no other one runs, to its end
 * even when the caller hangs up.
 *
 * Errors: 409 when its turn does not come in time, beside the change's own.
 */
export const changingDatabases = Effect.fnUntraced(function* <A, E, R>(
  projectId: string,
  change: Effect.Effect<A, E, R>
) {
  const { holding } = yield* Leases
  const { run } = yield* Owned
  return yield* Effect.catchTag(run(holding(leaseOf(projectId), change)), "Held", () =>
    Conflict.concurrentChange("the databases of the tenant")
  )
})
