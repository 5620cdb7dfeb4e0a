import type { Versioning, VersioningUpdate } from "@portico/contract/ObjectStorage"
import { Effect } from "effect"
import { ownBucket, refused } from "./buckets.ts"

const states = { Enabled: "enabled", Suspended: "suspended" } as const
const statuses = { enabled: "Enabled", suspended: "Suspended" } as const

/**
 * Whether a bucket keeps old versions of its objects.
 *
 * Errors: 404; 502; those of the tenant's key.
 */
export const showVersioning = Effect.fn("objectStorage.showVersioning")(function* (projectId: string, name: string) {
  const bucket = yield* ownBucket(projectId, name)
  const status = yield* Effect.mapError(bucket.versioning(name), refused(name))
  return { bucket: name, versioning: status === undefined ? "unset" : states[status] } satisfies Versioning
})

/**
 * Enables or suspends versioning. Versioning that was enabled once is never
 * unset again.
 *
 * Errors: 404; 409 with the object gateway's message when objects are locked;
 * 502; those of the tenant's key.
 */
export const setVersioning = Effect.fn("objectStorage.setVersioning")(function* (
  projectId: string,
  name: string,
  { versioning }: VersioningUpdate
) {
  const bucket = yield* ownBucket(projectId, name)
  yield* Effect.mapError(bucket.setVersioning(name, statuses[versioning]), refused(name))
  return { bucket: name, versioning } satisfies Versioning
})
