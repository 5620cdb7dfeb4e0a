import { CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { ObjectStorage } from "@portico/contract/ObjectStorage"
import { unstored } from "@portico/contract/Unstored"
import { removeCors, setCors, showCors } from "@portico/domain/objectStorage/cors"
import { createBucket, listBuckets, removeBucket } from "@portico/domain/objectStorage/buckets"
import { replaceArchiveKey } from "@portico/domain/databases/replaceArchiveKey"
import { isArchiveKey } from "@portico/domain/objectStorage/keyNames"
import { rotateCredentials, showCredentials } from "@portico/domain/objectStorage/credentials"
import { listKeys, removeKey } from "@portico/domain/objectStorage/keys"
import { listObjects } from "@portico/domain/objectStorage/listObjects"
import { listVersions } from "@portico/domain/objectStorage/listVersions"
import { presign, presignUpload } from "@portico/domain/objectStorage/presign"
import { removeObject } from "@portico/domain/objectStorage/removeObject"
import { setVersioning, showVersioning } from "@portico/domain/objectStorage/versioning"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"
import { mayDestroy } from "../middleware/access.ts"

export const ObjectStorageHandlers = HttpApiBuilder.group(apiOf(ObjectStorage), "object-storage", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      listBuckets: () => Effect.flatMap(CurrentTenant, (_) => listBuckets(_.projectId)),
      createBucket: ({ payload }) => Effect.flatMap(CurrentTenant, (_) => createBucket(_.projectId, payload.name)),
      removeBucket: ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeBucket(_.projectId, params.name)),
      listObjects: ({ params, query }) =>
        Effect.flatMap(CurrentTenant, (_) => listObjects(_.projectId, params.name, query)),
      listVersions: ({ params, query }) =>
        Effect.flatMap(CurrentTenant, (_) => listVersions(_.projectId, params.name, query)),
      removeObject: ({ params, query }) =>
        Effect.flatMap(CurrentTenant, (_) => removeObject(_.projectId, { ...params, versionId: query.version_id })),
      presign: ({ params, query }) =>
        CurrentTenant.pipe(
          Effect.flatMap((_) =>
            presign(_.projectId, { ...params, expiresIn: query.expires_in, versionId: query.version_id })
          ),
          Effect.map(unstored)
        ),
      presignUpload: ({ endpoint, params, payload }) =>
        mayDestroy(endpoint, payload).pipe(
          Effect.andThen(CurrentTenant),
          Effect.flatMap((_) => presignUpload(_.projectId, params, payload)),
          Effect.map(unstored)
        ),
      versioning: ({ params }) => Effect.flatMap(CurrentTenant, (_) => showVersioning(_.projectId, params.name)),
      setVersioning: ({ params, payload }) =>
        Effect.flatMap(CurrentTenant, (_) => setVersioning(_.projectId, params.name, payload)),
      cors: ({ params }) => Effect.flatMap(CurrentTenant, (_) => showCors(_.projectId, params.name)),
      setCors: ({ params, payload }) =>
        Effect.flatMap(CurrentTenant, (_) => setCors(_.projectId, params.name, payload)),
      removeCors: ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeCors(_.projectId, params.name)),
      credentials: () =>
        CurrentTenant.pipe(
          Effect.flatMap((_) => showCredentials(_.projectId)),
          Effect.map(unstored)
        ),
      rotate: () =>
        CurrentTenant.pipe(
          Effect.flatMap((_) => rotateCredentials(_.projectId)),
          Effect.map(unstored)
        ),
      listKeys: () => Effect.flatMap(CurrentTenant, (_) => listKeys(_.projectId)),
      removeKey: ({ params: { access_key } }) =>
        Effect.flatMap(CurrentTenant, ({ projectId }) =>
          isArchiveKey(access_key) ? replaceArchiveKey(projectId, access_key) : removeKey(projectId, access_key)
        )
    })
  )
)
