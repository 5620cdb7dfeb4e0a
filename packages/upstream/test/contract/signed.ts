import { Sha256 } from "@aws-crypto/sha256-js"
import { SignatureV4 } from "@smithy/signature-v4"
import { Config, DateTime, Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Key } from "./Answer.ts"

const gatewayKey = Effect.gen(function* () {
  return {
    access_key: yield* Config.String("RGW_ACCESS_KEY"),
    secret_key: Redacted.value(yield* Config.Redacted("RGW_SECRET_KEY"))
  }
})

const signerOf = ({ access_key, secret_key }: Key) =>
  new SignatureV4({
    service: "s3",
    region: "default",
    credentials: { accessKeyId: access_key, secretAccessKey: secret_key },
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false
  })

const unsignedOf = (method: string, url: URL) => ({
  method,
  protocol: url.protocol,
  hostname: url.hostname,
  ...(url.port === "" ? {} : { port: Number(url.port) }),
  path: url.pathname,
  query: Object.fromEntries(url.searchParams),
  headers: { host: url.host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }
})

/** A request to RGW, signed with the gateway's own key unless there is another. */
export const signed = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest, key?: Key) {
  const signer = signerOf(key ?? (yield* gatewayKey))
  const signingDate = DateTime.toDateUtc(yield* DateTime.now)
  const { headers } = yield* Effect.promise(() =>
    signer.sign(unsignedOf(request.method, new URL(request.url)), { signingDate })
  )
  return HttpClientRequest.setHeaders(request, headers)
})

/**
 * The query that lets anybody make one request to RGW.
 *
 * @param address of the thing, without a query of its own or with one
 * @param secondsAgo by which the signer's clock is behind; negative for one that is ahead
 */
export const presigned = Effect.fnUntraced(function* (
  key: Key,
  method: string,
  address: string,
  expiresIn: number,
  secondsAgo: number = 0
) {
  const signingDate = DateTime.toDateUtc(DateTime.subtract(yield* DateTime.now, { seconds: secondsAgo }))
  const { query = {} } = yield* Effect.promise(() =>
    signerOf(key).presign(unsignedOf(method, new URL(address)), { expiresIn, signingDate })
  )
  return Object.entries(query)
    .map((pair) => pair.map((_) => encodeURIComponent(String(_))).join("="))
    .join("&")
})
