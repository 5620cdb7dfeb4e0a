import { Sha256 } from "@aws-crypto/sha256-js"
import { SignatureV4 } from "@smithy/signature-v4"
import { Config, DateTime, Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { make } from "../System.ts"
import { baseOf } from "../webAddress.ts"

type Parameters = Readonly<Record<string, string>>

/** `default`, unless the object gateway is configured otherwise. */
export const rgwRegion = Config.String("RGW_REGION").pipe(Config.withDefault("default"))

/**
 * The object gateway's admin operations as requests. Parameters go into the
 * query and bodies stay empty: any body switches a quota write to another form.
 */
export const adminOf = Effect.gen(function* () {
  const base = yield* Config.URL("RGW_URL")
  const accessKeyId = yield* Config.String("RGW_ACCESS_KEY")
  const secretKey = yield* Config.Redacted("RGW_SECRET_KEY")
  const region = yield* rgwRegion
  // One RGW tenant for the whole platform makes bucket names unique across customers, as on S3.
  const rgwTenant = yield* Config.String("RGW_TENANT").pipe(Config.withDefault("tenant"))

  const signer = new SignatureV4({
    service: "s3",
    region,
    credentials: { accessKeyId, secretAccessKey: Redacted.value(secretKey) },
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false
  })

  const signed = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const signingDate = DateTime.toDateUtc(yield* DateTime.now)
    const { headers } = yield* Effect.promise(() =>
      signer.sign(
        {
          method: request.method,
          protocol: base.protocol,
          hostname: base.hostname,
          ...(base.port === "" ? {} : { port: Number(base.port) }),
          path: new URL(request.url).pathname,
          query: Object.fromEntries(request.urlParams.params.map(([key, value]) => [key, plain(value)])),
          headers: { host: base.host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }
        },
        { signingDate }
      )
    )
    return HttpClientRequest.setHeaders(request, headers)
  })

  const system = make(yield* HttpClient.HttpClient, {
    upstream: "rgw",
    url: `${baseOf(base)}/admin`,
    authorize: signed
  })

  const tenantOf = (projectId: string) => rgwTenant.replace("{project_id}", projectId)
  const withFormat = (parameters: Parameters) => ({ urlParams: { ...parameters, format: "json" } })

  return {
    system,
    /** The RGW tenant of a project's buckets. */
    tenantOf,
    uid: (projectId: string) => `${tenantOf(projectId)}$${projectId}`,
    get: (parameters: Parameters) => HttpClientRequest.get("/user", withFormat(parameters)),
    put: (parameters: Parameters) => HttpClientRequest.put("/user", withFormat(parameters)),
    post: (parameters: Parameters) => HttpClientRequest.post("/user", withFormat(parameters)),
    remove: (parameters: Parameters) => HttpClientRequest.delete("/user", withFormat(parameters)),
    getBucket: (parameters: Parameters) => HttpClientRequest.get("/bucket", withFormat(parameters))
  }
})

export type Admin = Effect.Success<typeof adminOf>

const plain = (value: string | Redacted.Redacted): string =>
  Redacted.isRedacted(value) ? Redacted.value(value) : value
