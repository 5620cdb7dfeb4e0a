import type { BucketList } from "@portico/contract/ObjectStorage"
import type { BucketStats } from "@portico/upstream/rgw/buckets"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { S3 } from "@portico/upstream/rgw/S3"
import { DateTime, Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { archivePrefix } from "./archiveNames.ts"

/**
 * A tenant's buckets with what is in them, by name: one call to the object
 * gateway, however many they are.
 *
 * Errors: 502.
 */
export const listBuckets = Effect.fn("objectStorage.listBuckets")(function* (projectId: string) {
  const { endpoint } = yield* S3
  const found = yield* Effect.mapError((yield* Rgw).listBuckets(projectId), badGateway)
  return {
    buckets: found.map((_) => bucketRow(projectId, _)).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    count: found.length,
    endpoint
  } satisfies BucketList
})

const bucketRow = (projectId: string, { modified, name, objects, sizeBytes }: BucketStats) => ({
  name,
  objects,
  size_bytes: sizeBytes,
  modified: DateTime.formatIso(modified),
  managed_by: name.startsWith(archivePrefix(projectId)) ? ("databases" as const) : null
})
