import { Conflict } from "@portico/contract/Failures"
import { Effect } from "effect"
import { exclusively } from "../exclusively.ts"
import { Owned } from "../Owned.ts"

/** One at a time in a tenant: everything that draws on the ceilings of its databases, or changes them. */
export const leaseOf = (projectId: string): string => `databases/${projectId}`

const busy = () => Conflict.concurrentChange("the databases of the tenant")

/** Runs a change of a tenant's databases alone, and to its end even when the caller hangs up. */
export const changingDatabases = <A, E, R>(projectId: string, change: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Owned, (_) => _.run(exclusively(leaseOf(projectId), busy)(change)))
