import { CurrentTenant } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { unstored } from "@portico/contract/Unstored"
import { createBucket, listBuckets, removeBucket } from "@portico/domain/objectStorage/buckets"
import { rotateCredentials, showCredentials } from "@portico/domain/objectStorage/credentials"
import { listKeys, removeKey } from "@portico/domain/objectStorage/keys"
import { listObjects } from "@portico/domain/objectStorage/listObjects"
import { presign, presignUpload } from "@portico/domain/objectStorage/presign"
import { setVersioning, showVersioning } from "@portico/domain/objectStorage/versioning"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"
import { mayDestroy } from "../middleware/access.ts"

export const ObjectStorageHandlers = HttpApiBuilder.group(OperatorApi, "object-storage", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      listBuckets: () => Effect.flatMap(CurrentTenant, (_) => listBuckets(_.projectId)),
      createBucket: ({ payload }) => Effect.flatMap(CurrentTenant, (_) => createBucket(_.projectId, payload.name)),
      removeBucket: ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeBucket(_.projectId, params.name)),
      listObjects: ({ params, query }) =>
        Effect.flatMap(CurrentTenant, (_) => listObjects(_.projectId, params.name, query)),
      presign: ({ params, query }) =>
        CurrentTenant.pipe(
          Effect.flatMap((_) => presign(_.projectId, { ...params, expiresIn: query.expires_in })),
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
      credentials: () => CurrentTenant.pipe(Effect.flatMap(showCredentials), Effect.map(unstored)),
      rotate: () =>
        CurrentTenant.pipe(
          Effect.flatMap((_) => rotateCredentials(_.projectId)),
          Effect.map(unstored)
        ),
      listKeys: () => Effect.flatMap(CurrentTenant, (_) => listKeys(_.projectId)),
      removeKey: ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeKey(_.projectId, params.access_key))
    })
  )
)
