import { NodeHttpClient } from "@effect/platform-node"
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { ConfigProvider, Effect, Layer, Schema } from "effect"
import { request } from "undici"
import { bearer, send } from "../requests.ts"

/** How much of everything a tenant has. */
export interface Size {
  readonly buckets: number
  readonly zones: number
  readonly databases: number
}

/** A tenant, and where it is served. */
export interface Tenant {
  readonly customer: string
  readonly cloud: string
  readonly projectId: string
  readonly headers: Record<string, string>
}

const concurrency = 16
const numbersUpTo = (count: number) => Array.from({ length: count }, (_, n) => n)

const Key = Schema.fromJsonString(
  Schema.Struct({ access_key: Schema.String, secret_key: Schema.String, endpoint: Schema.String })
)

/** Zero is no limit to the object gateway, and the tier's limit is written at the creation of a bucket alone. */
const withoutLimit = ({ cloud, projectId }: Tenant) =>
  Effect.flatMap(Rgw, (_) =>
    _.writeQuotas({ projectId, stamp: "bench", quotas: { max_buckets: 0, max_size: -1, max_objects: -1 } })
  ).pipe(
    Effect.provide(
      Rgw.layer.pipe(
        Layer.provide(NodeHttpClient.layerUndici),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(gatewaySettings(cloud))))
      )
    )
  )

/** Buckets with an object in each, made as the tenant makes them: over S3. */
const buckets = Effect.fnUntraced(function* (tenant: Tenant, count: number) {
  const { access_key, endpoint, secret_key } = yield* Effect.flatMap(
    send("GET", `${tenant.customer}/v1/object-storage/credentials`, 200, { headers: tenant.headers }),
    Schema.decodeUnknownEffect(Key)
  )
  yield* withoutLimit(tenant)
  const client = new S3Client({
    endpoint,
    region: "default",
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
    credentials: { accessKeyId: access_key, secretAccessKey: secret_key }
  })
  yield* Effect.forEach(
    numbersUpTo(count),
    (n) =>
      Effect.promise(async () => {
        const Bucket = `bench-${count}-${n}`
        await client.send(new CreateBucketCommand({ Bucket }))
        await client.send(new PutObjectCommand({ Bucket, Key: "object", Body: "x".repeat(n + 1) }))
      }),
    { concurrency, discard: true }
  )
  client.destroy()
})

/** An administrator's token, as the platform gives it. */
const administrator = (cloud: string) =>
  Effect.promise(async () => {
    const { name, password } = fixtures.control
    const answer = await request(`${cloud}/identity/v3/auth/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        auth: {
          identity: {
            methods: ["password"],
            password: { user: { name, domain: { id: fixtures.domainId }, password } }
          },
          scope: { project: { id: fixtures.adminProjectId } }
        }
      })
    })
    await answer.body.dump()
    return String(answer.headers["x-subject-token"])
  })

/** Zones, made by an administrator in the tenant's name: the tenant's own quota is far smaller. */
const zones = Effect.fnUntraced(function* ({ cloud, projectId }: Tenant, count: number) {
  const token = yield* administrator(cloud)
  yield* Effect.promise(async () => {
    const answer = await request(`${cloud}/dns/v2/quotas/${projectId}`, {
      method: "PATCH",
      headers: { "x-auth-token": token, "x-auth-all-projects": "true", "content-type": "application/json" },
      body: JSON.stringify({ zones: -1 })
    })
    await answer.body.dump()
  })
  const headers = { "x-auth-token": token, "x-auth-sudo-project-id": projectId }
  yield* Effect.forEach(
    numbersUpTo(count),
    (n) =>
      send("POST", `${cloud}/dns/v2/zones`, 202, {
        headers,
        body: { name: `z${n}.bench-${count}.example.`, email: "dns@bench.example" }
      }),
    { concurrency, discard: true }
  )
})

const Cluster = Schema.fromJsonString(
  Schema.StructWithRest(
    Schema.Struct({
      metadata: Schema.StructWithRest(Schema.Struct({ labels: Schema.Record(Schema.String, Schema.String) }), [
        Schema.Record(Schema.String, Schema.Unknown)
      ]),
      spec: Schema.Unknown
    }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
)

/** One database as the gateway makes it, and the rest as copies of that: a tenant's own ceiling is far smaller. */
const databases = Effect.fnUntraced(function* ({ cloud, customer, headers, projectId }: Tenant, count: number) {
  yield* send("POST", `${customer}/v1/databases`, 201, {
    headers,
    body: { engine: "postgres", name: "first", version: "17", size_gb: 1 }
  })
  const path = `${cloud}/kubernetes/apis/postgresql.cnpg.io/v1/namespaces/db-${projectId}/clusters`
  const own = bearer(fixtures.kubernetes.token)
  const first = yield* Effect.flatMap(
    send("GET", `${path}/first`, 200, { headers: own }),
    Schema.decodeUnknownEffect(Cluster)
  )
  const { annotations, labels } = first.metadata
  yield* Effect.forEach(
    numbersUpTo(count - 1),
    (n) =>
      send("POST", path, 201, {
        headers: own,
        body: {
          apiVersion: "postgresql.cnpg.io/v1",
          kind: "Cluster",
          metadata: { name: `copy-${n}`, labels, annotations },
          spec: first.spec
        }
      }),
    { concurrency, discard: true }
  )
})

/** Gives a tenant so much of everything. */
export const seed = Effect.fnUntraced(function* (tenant: Tenant, size: Size) {
  yield* buckets(tenant, size.buckets)
  yield* zones(tenant, size.zones)
  yield* databases(tenant, size.databases)
})
