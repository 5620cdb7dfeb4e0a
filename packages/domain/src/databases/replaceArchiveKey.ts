import { NotFound } from "@portico/contract/Failures"
import type { S3KeyDeleted } from "@portico/contract/ObjectStorage"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { databaseNamespace } from "../kubernetes/ownership.ts"
import { Archives, handKey, keyOf } from "./Archives.ts"
import { changingDatabases } from "./database.ts"

/**
 * Replaces the key with which the tenant's databases write their archive: the old secret works no
 * more, and the databases get the new one. A process that dies in between leaves them without it,
 * and they keep their logs; the same call again repairs that.
 *
 * Errors: 404 when the tenant has no such key; 409 while another change of the tenant's databases
 * is under way; 502.
 */
export const replaceArchiveKey = Effect.fn("databases.replaceArchiveKey")(function* (
  projectId: string,
  accessKey: string
) {
  const replaced = Effect.gen(function* () {
    if ((yield* keyOf(projectId))?.accessKey !== accessKey) return yield* NotFound.s3Key(accessKey)
    const key = yield* (yield* Rgw).createKey(projectId, accessKey)
    const namespace = databaseNamespace(projectId)
    if (namespace !== undefined)
      yield* handKey({ projectId, namespace }, { ...(yield* Archives), key }).pipe(
        // The databases are gone, and their namespace too.
        Effect.catchIf(
          ({ status }) => status === 404,
          () => Effect.void
        )
      )
    return { access_key: accessKey, deleted: true } satisfies S3KeyDeleted
  })
  return yield* changingDatabases(projectId, Effect.catchTag(replaced, "UpstreamError", badGateway))
})
