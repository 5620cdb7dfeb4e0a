import { Sha256 } from "@aws-crypto/sha256-js"
import type { ServiceQuotas } from "@portico/contract/Tiers"
import { SignatureV4 } from "@smithy/signature-v4"
import { Config, Context, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { Stamp } from "../keystone/Keystone.ts"
import { make } from "../System.ts"
import { Taken, type UpstreamError } from "../UpstreamError.ts"

const Buckets = Schema.Array(
  Schema.Struct({
    bucket: Schema.String,
    owner: Schema.String,
    id: Schema.String,
    /** By storage category; empty for a bucket without objects. */
    usage: Schema.Record(Schema.String, Schema.Struct({ num_objects: Schema.optionalKey(Schema.Int) }))
  })
)

const UserInfo = Schema.Struct({ user_id: Schema.String, display_name: Schema.String, max_buckets: Schema.Int })
/** Of the answer about a user, what limits it. Nothing of the quota is enforced unless it is enabled. */
const UserLimits = Schema.Struct({
  max_buckets: Schema.Int,
  user_quota: Schema.Struct({ enabled: Schema.Boolean, max_size: Schema.Int, max_objects: Schema.Int })
})

type RgwQuotas = ServiceQuotas["rgw"]
type Parameters = Readonly<Record<string, string>>

/**
 * The object gateway's admin operations: one S3 user per tenant, and its
 * quota. Sizes in bytes. Signed as S3 requests by a user with the
 * capabilities `users=*;buckets=*;usage=read`.
 */
export class Rgw extends Context.Service<
  Rgw,
  {
    /** The tenant's S3 user: `tenant$<project_id>`. */
    uid(projectId: string): string
    /** Creates the user without keys, or finds the one that this stamp created before. */
    createUser(
      options: Stamp & { readonly projectId: string; readonly maxBuckets: number }
    ): Effect.Effect<void, UpstreamError | Taken>
    /** Removes nothing that does not carry the stamp. */
    removeUser(options: Stamp & { readonly projectId: string }): Effect.Effect<void, UpstreamError>
    /** What is enforced: a quota that is switched off is unlimited, which is -1. Undefined for a tenant without a user. */
    readQuotas(projectId: string): Effect.Effect<RgwQuotas | undefined, UpstreamError>
    /** With every bucket, object, version and unfinished upload that it has. Whoever made it: by its id it is the tenant's. */
    destroyUser(projectId: string): Effect.Effect<void, UpstreamError>
    /** With the number of objects in each, versions counted. */
    listBuckets(
      projectId: string
    ): Effect.Effect<ReadonlyArray<{ readonly name: string; readonly objects: number }>, UpstreamError>
    /** The size and object limits of an existing user. */
    writeQuota(projectId: string, quotas: RgwQuotas): Effect.Effect<void, UpstreamError>
    /** The bucket limit too; makes the user when a tenant has none yet. */
    writeQuotas(
      options: Stamp & { readonly projectId: string; readonly quotas: RgwQuotas }
    ): Effect.Effect<void, UpstreamError | Taken>
  }
>()("portico/upstream/rgw/Rgw") {
  static readonly layer = Layer.effect(
    Rgw,
    Effect.gen(function* () {
      const base = yield* Config.URL("RGW_URL")
      const accessKeyId = yield* Config.String("RGW_ACCESS_KEY")
      const secretKey = yield* Config.Redacted("RGW_SECRET_KEY")
      const region = yield* Config.String("RGW_REGION").pipe(Config.withDefault("default"))
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

      const admin = `${base.href.replace(/\/+$/, "")}/admin`
      const url = new URL(`${admin}/user`)

      const signed = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
        const signingDate = DateTime.toDateUtc(yield* DateTime.now)
        const { headers } = yield* Effect.promise(() =>
          signer.sign(
            {
              method: request.method,
              protocol: url.protocol,
              hostname: url.hostname,
              ...(url.port === "" ? {} : { port: Number(url.port) }),
              path: new URL(request.url).pathname,
              query: Object.fromEntries(request.urlParams.params.map(([key, value]) => [key, plain(value)])),
              headers: { host: url.host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" }
            },
            { signingDate }
          )
        )
        return HttpClientRequest.setHeaders(request, headers)
      })

      const system = make(yield* HttpClient.HttpClient, {
        upstream: "rgw",
        url: url.href,
        authorize: signed,
        rejected: Effect.succeed(false)
      })

      const uid = (projectId: string) => `${rgwTenant.replace("{project_id}", projectId)}$${projectId}`

      // Parameters go in the query, bodies stay empty: any body switches a quota write to another form.
      const get = (parameters: Parameters) => HttpClientRequest.get(url, { urlParams: parameters })
      const put = (parameters: Parameters) => HttpClientRequest.put(url, { urlParams: parameters })
      const post = (parameters: Parameters) => HttpClientRequest.post(url, { urlParams: parameters })

      const createUser = Effect.fn("Rgw.createUser")(function* (
        options: Stamp & { readonly projectId: string; readonly maxBuckets: number }
      ) {
        const { maxBuckets, projectId, stamp } = options
        const made = system.send(
          "createUser",
          put({
            uid: uid(projectId),
            "display-name": stamp,
            "max-buckets": String(maxBuckets),
            "generate-key": "false",
            format: "json"
          })
        )
        yield* Effect.catchIf(
          made,
          (error) => error.status === 409,
          () =>
            Effect.flatMap(findUser(projectId), (found) =>
              found?.display_name === stamp
                ? Effect.void
                : new Taken({ upstream: "rgw", what: `user '${uid(projectId)}'` })
            )
        )
      })

      const findUser = (projectId: string) =>
        system.find("findUser", get({ uid: uid(projectId), format: "json" }), UserInfo)

      const writeQuota = (projectId: string, quotas: RgwQuotas) =>
        system.send(
          "writeQuota",
          put({
            quota: "",
            uid: uid(projectId),
            "quota-type": "user",
            "max-size": String(quotas.max_size),
            "max-objects": String(quotas.max_objects),
            enabled: "true",
            format: "json"
          })
        )

      const writeQuotas = Effect.fn("Rgw.writeQuotas")(function* (
        options: Stamp & { readonly projectId: string; readonly quotas: RgwQuotas }
      ) {
        const { projectId, quotas } = options
        const limit = system.send(
          "writeBucketLimit",
          post({ uid: uid(projectId), "max-buckets": String(quotas.max_buckets), format: "json" })
        )
        yield* Effect.catchIf(
          limit,
          (error) => error.status === 404,
          () => createUser({ ...options, maxBuckets: quotas.max_buckets })
        )
        yield* writeQuota(projectId, quotas)
      })

      const listBuckets = Effect.fn("Rgw.listBuckets")(function* (projectId: string) {
        const request = HttpClientRequest.get(`${admin}/bucket`, {
          urlParams: { uid: uid(projectId), stats: "true", format: "json" }
        })
        // Some releases know no user without buckets.
        const found = (yield* system.find("list buckets", request, Buckets)) ?? []
        return found
          .filter((_) => _.owner === uid(projectId))
          .map(({ bucket, usage }) => ({
            name: bucket,
            objects: Object.values(usage).reduce((sum, _) => sum + (_.num_objects ?? 0), 0)
          }))
      })

      const destroyUser = (projectId: string) =>
        system.remove(
          "destroy user",
          HttpClientRequest.delete(url, {
            urlParams: { uid: uid(projectId), "purge-data": "true", format: "json" }
          })
        )

      return Rgw.of({
        uid,
        createUser,
        removeUser: Effect.fn("Rgw.removeUser")(function* ({ projectId, stamp }) {
          if ((yield* findUser(projectId))?.display_name !== stamp) return
          yield* system.remove(
            "removeUser",
            HttpClientRequest.delete(url, { urlParams: { uid: uid(projectId), format: "json" } })
          )
        }),
        readQuotas: (projectId) =>
          Effect.map(
            system.find("readQuotas", get({ uid: uid(projectId), format: "json" }), UserLimits),
            (found) =>
              found && {
                max_buckets: found.max_buckets,
                max_size: found.user_quota.enabled ? found.user_quota.max_size : -1,
                max_objects: found.user_quota.enabled ? found.user_quota.max_objects : -1
              }
          ),
        destroyUser,
        listBuckets,
        writeQuota,
        writeQuotas
      })
    })
  )
}

const plain = (value: string | Redacted.Redacted): string =>
  Redacted.isRedacted(value) ? Redacted.value(value) : value
