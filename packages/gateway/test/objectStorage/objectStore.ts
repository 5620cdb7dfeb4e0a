import { Sha256 } from "@aws-crypto/sha256-js"
import { Server } from "@portico/simulator/Server"
import { objectPath } from "@portico/upstream/rgw/paths"
import { SignatureV4 } from "@smithy/signature-v4"
import { Clock, Effect } from "effect"
import { send } from "../harness/http.ts"

interface Keys {
  readonly accessKey: string
  readonly secretKey: string
}

/** A request as any S3 client makes it, with its signature in the header. */
export const s3 = Effect.fnUntraced(function* (
  { accessKey, secretKey }: Keys,
  method: string,
  path: string,
  { base, body }: { readonly base?: string; readonly body?: string } = {}
) {
  const url = new URL(base ?? `${(yield* Server).url}/rgw`)
  const signer = new SignatureV4({
    service: "s3",
    region: "default",
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false
  })
  const signingDate = new Date(yield* Clock.currentTimeMillis)
  const whole = `${url.pathname.replace(/\/+$/, "")}${path}`
  const { headers } = yield* Effect.promise(() =>
    signer.sign(
      {
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        port: Number(url.port),
        path: whole,
        query: {},
        headers: { host: url.host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }
      },
      { signingDate }
    )
  )
  return yield* send(url.href, method, whole, { headers, body })
})

/** What a tenant does past the gateway. */
export const putObject = Effect.fnUntraced(function* (
  keys: Keys,
  bucket: string,
  key: string,
  body: string,
  base?: string
) {
  const answer = yield* s3(keys, "PUT", objectPath("", bucket, key), { body, ...(base === undefined ? {} : { base }) })
  if (answer.status !== 200) return yield* Effect.die(`PUT ${JSON.stringify(key)}: ${answer.status} ${answer.text}`)
})
