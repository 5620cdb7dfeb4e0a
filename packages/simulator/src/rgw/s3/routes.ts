import { Result } from "effect"
import type { Answer, Handler, Matched, Step } from "../../Wire.ts"
import type { Code } from "../errors.ts"
import { getBucketAcl, getObjectAcl, putBucketAcl, putObjectAcl } from "./acl.ts"
import { asJson, refuseS3 } from "./answers.ts"
import {
  createBucket,
  deleteBucket,
  getLocation,
  getVersioning,
  headBucket,
  listBuckets,
  putVersioning
} from "./buckets.ts"
import { deleteCors, getCors, preflight, putCors, withCors } from "./cors.ts"
import { deleteObjects } from "./deleteObjects.ts"
import { listObjects, listVersions } from "./lists.ts"
import { deleteObject, getObject, putObject } from "./objects.ts"
import { ownBucket } from "./access.ts"
import { asked, type S3Request } from "./request.ts"
import { abortUpload, completeUpload, createUpload, listParts, listUploads, putPart } from "./uploads.ts"

type Operation = (request: S3Request) => Step<Answer>

/** By parameter of the query, and `""` for a query without any of them. */
type Operations = Readonly<Record<string, Operation>>

/** Configurations of a bucket that the simulator never has. */
const without =
  (code: Code): Operation =>
  (request) =>
    Result.flatMap(ownBucket(request), ({ bucket }) => refuseS3(code, bucket.bucket))

const notImplemented: Operation = ({ bucket }) => refuseS3("NotImplemented", bucket)
const notAllowed: Operation = () => refuseS3("MethodNotAllowed")
const noForm: Operation = ({ bucket }) =>
  refuseS3("InvalidArgument", bucket, "Request Content-Type is not multipart/form-data")

const settings = [
  "acl",
  "policy",
  "tagging",
  "lifecycle",
  "cors",
  "object-lock",
  "website",
  "notification",
  "requestPayment"
]
const unsupported: Operations = Object.fromEntries(settings.map((_) => [_, notImplemented]))

const ofService: Readonly<Record<string, Operations>> = { GET: { "": listBuckets }, HEAD: { "": listBuckets } }

const bucketReads: Operations = {
  ...unsupported,
  acl: getBucketAcl,
  policy: without("NoSuchBucketPolicy"),
  tagging: without("NoSuchTagSet"),
  lifecycle: without("NoSuchLifecycleConfiguration"),
  cors: getCors,
  "object-lock": without("ObjectLockConfigurationNotFoundError"),
  website: notAllowed,
  location: getLocation,
  versioning: getVersioning,
  uploads: listUploads,
  versions: listVersions,
  "": listObjects
}

const ofBucket: Readonly<Record<string, Operations>> = {
  GET: bucketReads,
  HEAD: { "": headBucket },
  PUT: { ...unsupported, acl: putBucketAcl, cors: putCors, versioning: putVersioning, "": createBucket },
  POST: { delete: deleteObjects, "": noForm },
  DELETE: { ...unsupported, cors: deleteCors, "": deleteBucket },
  OPTIONS: { "": preflight }
}

const ofObject: Readonly<Record<string, Operations>> = {
  GET: { acl: getObjectAcl, tagging: notImplemented, uploadId: listParts, "": getObject },
  HEAD: { "": getObject },
  PUT: { acl: putObjectAcl, tagging: notImplemented, uploadId: putPart, "": putObject },
  POST: { uploads: createUpload, uploadId: completeUpload, "": noForm },
  DELETE: { tagging: notImplemented, uploadId: abortUpload, "": deleteObject },
  OPTIONS: { "": preflight }
}

const operationsOn = ({ bucket, key }: Pick<S3Request, "bucket" | "key">) =>
  bucket === "" ? ofService : key === "" ? ofBucket : ofObject

/** Everything but administration, for any signer. */
const s3: Handler = (incoming) => {
  const answer = answered(incoming)
  return incoming.headers["accept"] === "application/json" ? asJson(answer) : answer
}

const answered: Handler = (incoming) =>
  Result.merge(
    Result.gen(function* () {
      const request = yield* asked(incoming)
      const operations = operationsOn(request)[incoming.method]
      if (operations === undefined) return yield* refuseS3("MethodNotAllowed")
      const named = Object.keys(operations).find((_) => _ !== "" && request.query.has(_)) ?? ""
      return withCors(request, Result.merge((operations[named] ?? notAllowed)(request)))
    })
  )

/** One wildcard for each segment, so that the route matches keys with slashes. */
const routeOf = (path: string): string => path.replaceAll(/[^/]+/g, "*")

export const s3Router = (path: string): Matched => ({ route: routeOf(path), handler: s3, params: {} })
