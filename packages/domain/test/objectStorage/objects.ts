import { CreateMultipartUploadCommand, DeleteObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3"
import { tenantKey } from "@portico/domain/objectStorage/account"
import { carrierOf, type Expected } from "@portico/upstream/rgw/carrier"
import { clientOf } from "@portico/upstream/rgw/sdk"
import { DateTime, Effect } from "effect"
import { HttpClient } from "effect/http"

/** What a tenant does past the gateway, with an S3 client and its current key. */
export const s3Client = Effect.fnUntraced(function* (
  projectId: string,
  call: (client: S3Client) => Promise<unknown>,
  expected: Expected = "nothing"
) {
  const http = yield* HttpClient.HttpClient
  const services = yield* Effect.context<never>()
  const key = yield* tenantKey(projectId)
  const signingDate = DateTime.toDateUtc(yield* DateTime.now)
  const { origin } = new URL(key.endpoint)
  const carry = carrierOf({ http, services, origin, call: "test", expected })
  return yield* Effect.promise(() => call(clientOf(key.endpoint, { key, region: "default", signingDate }, carry)))
})

export const put = (projectId: string, Bucket: string, Key: string, Body: string) =>
  s3Client(projectId, (client) => client.send(new PutObjectCommand({ Bucket, Key, Body })))

export const remove = (projectId: string, Bucket: string, Key: string, VersionId?: string) =>
  s3Client(projectId, (client) =>
    client.send(new DeleteObjectCommand({ Bucket, Key, ...(VersionId === undefined ? {} : { VersionId }) }))
  )

/** An upload in parts that is begun and never ended. */
export const beginUpload = (projectId: string, Bucket: string, Key: string) =>
  s3Client(
    projectId,
    (client) => client.send(new CreateMultipartUploadCommand({ Bucket, Key })),
    "InitiateMultipartUploadResult"
  )
