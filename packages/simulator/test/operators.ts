import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { newBucket, noQuota, type Quota } from "@portico/simulator/rgw/state"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { kube, patch } from "./kube.ts"

export const namespace = "db-acme"
export const start = Date.parse("2026-02-01T00:00:00Z")

const v1 = `/api/v1/namespaces/${namespace}`
const groups = { clusters: "postgresql.cnpg.io/v1", backups: "postgresql.cnpg.io/v1" }

/** Where a resource of the namespace is found. */
export const pathOf = (resource: string, name?: string): string => {
  const found: Readonly<Record<string, string>> = {
    ...groups,
    scheduledbackups: "postgresql.cnpg.io/v1",
    kafkas: "kafka.strimzi.io/v1",
    kafkanodepools: "kafka.strimzi.io/v1",
    httproutes: "gateway.networking.k8s.io/v1",
    gateways: "gateway.networking.k8s.io/v1",
    referencegrants: "gateway.networking.k8s.io/v1beta1",
    jobs: "batch/v1"
  }
  const group = found[resource]
  const base = group === undefined ? v1 : `/apis/${group}/namespaces/${namespace}`
  return `${base}/${resource}${name === undefined ? "" : `/${name}`}`
}

/** A namespace with a quota of storage, at the beginning of a February. */
export const inNamespace = Effect.fnUntraced(function* (storage = "100Gi", claims = "8") {
  yield* TestClock.setTime(start)
  yield* kube("POST", "/api/v1/namespaces", { json: { metadata: { name: namespace } } })
  yield* kube("POST", pathOf("resourcequotas"), {
    json: {
      metadata: { name: "tenant-quota" },
      spec: { hard: { persistentvolumeclaims: claims, "requests.storage": storage } }
    }
  })
})

export const get = (resource: string, name: string) => Effect.map(kube("GET", pathOf(resource, name)), (_) => _.json)

export const statusOf = (resource: string, name: string) => Effect.map(get(resource, name), (_) => _.status ?? {})

export const names = (resource: string) =>
  Effect.map(kube("GET", pathOf(resource)), (_): ReadonlyArray<string> =>
    _.json.items.map((item: { readonly metadata: { readonly name: string } }) => item.metadata.name)
  )

/** What events say of objects of a kind, each as `type reason: message`, in the order of their first moment. */
export const eventsOf = (kind: string) =>
  Effect.map(kube("GET", pathOf("events")), (_): ReadonlyArray<string> =>
    _.json.items
      .filter((item: { readonly involvedObject: { readonly kind: string } }) => item.involvedObject.kind === kind)
      .toSorted((a: { readonly firstTimestamp: string }, b: { readonly firstTimestamp: string }) =>
        a.firstTimestamp < b.firstTimestamp ? -1 : 1
      )
      .map(
        (item: { readonly type: string; readonly reason: string; readonly message: string }) =>
          `${item.type} ${item.reason}: ${item.message}`
      )
  )

/** Steps the clock second by second and says what was seen, each once. */
export const seen = Effect.fnUntraced(function* <A, E, R>(seconds: number, look: Effect.Effect<A, E, R>) {
  const all: Array<A> = []
  for (let second = 0; second < seconds; second += 1) {
    yield* TestClock.adjust("1 second")
    const next = yield* look
    if (JSON.stringify(next) !== JSON.stringify(all.at(-1))) all.push(next)
  }
  return all
})

const image = "ghcr.io/cloudnative-pg/postgresql:17.6-system-trixie"

export const clusterOf = (name: string, spec: Readonly<Record<string, unknown>> = {}) => ({
  apiVersion: "postgresql.cnpg.io/v1",
  kind: "Cluster",
  metadata: { name },
  spec: { instances: 1, imageName: image, storage: { size: "20Gi" }, ...spec }
})

export const makeCluster = (name: string, spec: Readonly<Record<string, unknown>> = {}) =>
  kube("POST", pathOf("clusters"), { json: clusterOf(name, spec) })

export const change = (resource: string, name: string, json: unknown) => patch(pathOf(resource, name), "merge", json)

const keys = { access_key: "ACMEKEY", secret_key: "acme-secret" }

/** A bucket `archive` of an S3 user, and the user's key in a Secret `archive` of the namespace. */
export const makeArchive = Effect.fnUntraced(function* (quota: Quota = noQuota) {
  const { world } = yield* SimulatedCloud
  const uid = "acme"
  world.rgw.users[uid] = {
    uid,
    tenant: "",
    user_id: uid,
    display_name: "Acme",
    email: "",
    suspended: false,
    max_buckets: 1000,
    keys: [keys],
    caps: [],
    user_quota: quota,
    bucket_quota: noQuota
  }
  world.rgw.buckets["/archive"] = newBucket({ bucket: "archive", tenant: "", owner: uid, id: "archive.1", now: start })
  yield* kube("POST", pathOf("secrets"), {
    json: { metadata: { name: "archive" }, stringData: { id: keys.access_key, secret: keys.secret_key } }
  })
})

export const storeOf = (serverName: string) => ({
  destinationPath: "s3://archive/acme/",
  endpointURL: "https://rgw.example",
  serverName,
  s3Credentials: { accessKeyId: { name: "archive", key: "id" }, secretAccessKey: { name: "archive", key: "secret" } },
  wal: { compression: "gzip" }
})

export const backupOf = (serverName: string, retentionPolicy = "30d") => ({
  backup: { retentionPolicy, barmanObjectStore: storeOf(serverName) }
})

/** The keys of everything that is in the archive by now. */
export const archived = Effect.gen(function* () {
  const { state, world } = yield* SimulatedCloud
  yield* state
  return (world.rgw.buckets["/archive"]?.objects ?? []).map((_) => _.key)
})
