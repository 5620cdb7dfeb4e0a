import { Conflict } from "@portico/contract/Failures"
import { Effect } from "effect"
import { exclusively } from "../exclusively.ts"
import { RunToCompletion } from "../RunToCompletion.ts"

const busy = () => Conflict.concurrentChange("the object storage of the tenant")

/**
 * Runs a change of a tenant's buckets and keys under the tenant's lease, and to
 * its end even when the client disconnects.
 */
export const changingObjectStorage = <A, E, R>(projectId: string, change: Effect.Effect<A, E, R>) =>
  Effect.flatMap(RunToCompletion, (_) => _.run(exclusively(`object-storage/${projectId}`, busy)(change)))
