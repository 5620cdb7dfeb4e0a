import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import { putObject } from "./objectStore.ts"
import type { Success } from "../routes/Success.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const asAcme = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
  const { acme } = yield* Cast
  const answer = yield* (yield* TestGateway).call("customer", method, path, { token: acme.tokens[2], body })
  return jsonOf(answer)
})

const bucket = "matrix-bucket"
const buckets = "/v1/object-storage/buckets"

/** Acme's bucket is there, whoever deleted it. */
const there = (rest = "", body?: unknown) =>
  Effect.gen(function* () {
    yield* asAcme("POST", buckets, { name: bucket })
    return { path: `${buckets}/${bucket}${rest}`, body }
  })

const withObject = Effect.gen(function* () {
  yield* there()
  const { access_key, secret_key } = yield* asAcme("GET", "/v1/object-storage/credentials")
  yield* putObject({ accessKey: access_key, secretKey: secret_key }, bucket, "a/b c", "content")
  return { path: `${buckets}/${bucket}/objects/a%2Fb%20c/presigned` }
})

const emptied = Effect.gen(function* () {
  yield* asAcme("POST", buckets, { name: "matrix-empty" })
  return { path: `${buckets}/matrix-empty` }
})

/** Keys of earlier calls go: there are not many places. */
const key = Effect.gen(function* () {
  const { keys } = yield* asAcme("GET", "/v1/object-storage/keys")
  for (const { access_key } of keys) {
    yield* asAcme("DELETE", `/v1/object-storage/keys/${encodeURIComponent(access_key)}`)
  }
  const { access_key } = yield* asAcme("GET", "/v1/object-storage/credentials")
  return { path: `/v1/object-storage/keys/${encodeURIComponent(access_key)}` }
})

const cors = {
  rules: [
    {
      allowed_origins: ["https://app.example"],
      allowed_methods: ["GET", "PUT"],
      allowed_headers: ["content-type", "if-none-match"],
      expose_headers: ["ETag"],
      max_age_seconds: 3600
    }
  ]
}

const elsewhere = {
  status: 404,
  body: (path: string) => ({ detail: `Bucket '${path.split("/")[4]}' not found`, code: "bucket_not_found" })
}

export const objectSuccesses: Readonly<Record<string, Success>> = {
  "GET /v1/object-storage/buckets": { status: 200, prepare: Effect.succeed({ path: buckets }) },
  "POST /v1/object-storage/buckets": {
    status: 201,
    prepare: Effect.as(there(), { path: buckets, body: { name: bucket } }),
    // The names of buckets are one space for everybody.
    elsewhere: {
      status: 409,
      body: () => ({
        detail: `The bucket name '${bucket}' is not available; bucket names are unique across the platform, choose another one`,
        code: "bucket_name_taken"
      })
    }
  },
  "DELETE /v1/object-storage/buckets/:name": { status: 200, prepare: emptied, elsewhere },
  "GET /v1/object-storage/buckets/:name/objects": { status: 200, prepare: there("/objects"), elsewhere },
  "GET /v1/object-storage/buckets/:name/objects/:key/presigned": { status: 200, prepare: withObject, elsewhere },
  "POST /v1/object-storage/buckets/:name/objects/:key/presigned": {
    status: 200,
    prepare: there("/objects/new%2Fone/presigned", { content_length: 7, content_type: "text/plain" }),
    elsewhere
  },
  "DELETE /v1/object-storage/buckets/:name/objects/:key": {
    status: 200,
    prepare: Effect.map(withObject, ({ path }) => ({ path: path.replace("/presigned", "") })),
    elsewhere
  },
  "GET /v1/object-storage/buckets/:name/versions": { status: 200, prepare: there("/versions"), elsewhere },
  "GET /v1/object-storage/buckets/:name/cors": { status: 200, prepare: there("/cors"), elsewhere },
  "PUT /v1/object-storage/buckets/:name/cors": { status: 200, prepare: there("/cors", cors), elsewhere },
  "DELETE /v1/object-storage/buckets/:name/cors": { status: 200, prepare: there("/cors"), elsewhere },
  "GET /v1/object-storage/buckets/:name/versioning": { status: 200, prepare: there("/versioning"), elsewhere },
  "PUT /v1/object-storage/buckets/:name/versioning": {
    status: 200,
    prepare: there("/versioning", { versioning: "enabled" }),
    elsewhere
  },
  "GET /v1/object-storage/credentials": {
    status: 200,
    prepare: Effect.succeed({ path: "/v1/object-storage/credentials" })
  },
  "POST /v1/object-storage/credentials/rotate": {
    status: 200,
    prepare: Effect.as(key, { path: "/v1/object-storage/credentials/rotate" }),
    after: Effect.asVoid(key)
  },
  "GET /v1/object-storage/keys": { status: 200, prepare: Effect.succeed({ path: "/v1/object-storage/keys" }) },
  "DELETE /v1/object-storage/keys/:access_key": {
    status: 200,
    prepare: key,
    elsewhere: {
      status: 404,
      body: (path: string) => ({
        detail: `S3 key '${decodeURIComponent(path.split("/").at(-1) ?? "")}' not found`,
        code: "access_key_not_found"
      })
    }
  }
}
