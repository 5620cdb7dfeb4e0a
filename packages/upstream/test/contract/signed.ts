import { Sha256 } from "@aws-crypto/sha256-js"
import { SignatureV4 } from "@smithy/signature-v4"
import { Config, DateTime, Effect, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"

/** A request to RGW, signed with the gateway's own key. */
export const signed = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
  const url = new URL(request.url)
  const signer = new SignatureV4({
    service: "s3",
    region: "default",
    credentials: {
      accessKeyId: yield* Config.String("RGW_ACCESS_KEY"),
      secretAccessKey: Redacted.value(yield* Config.Redacted("RGW_SECRET_KEY"))
    },
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false
  })
  const signingDate = DateTime.toDateUtc(yield* DateTime.now)
  const { headers } = yield* Effect.promise(() =>
    signer.sign(
      {
        method: request.method,
        protocol: url.protocol,
        hostname: url.hostname,
        ...(url.port === "" ? {} : { port: Number(url.port) }),
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: { host: url.host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }
      },
      { signingDate }
    )
  )
  return HttpClientRequest.setHeaders(request, headers)
})
