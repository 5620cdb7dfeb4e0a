import type { DatabaseCreate } from "@portico/contract/Databases"
import type { Tier } from "@portico/contract/Tiers"
import { createDatabase } from "@portico/domain/databases/create"
import { showDatabase } from "@portico/domain/databases/read"
import { ensureNamespace } from "@portico/domain/kubernetes/ensureNamespace"
import { fixtures } from "@portico/simulator/Fixtures"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { memoryUrl } from "@portico/simulator/transport"
import { Cluster } from "@portico/upstream/kubernetes/Cluster"
import { type Kind, kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { inTime } from "@portico/testing/clock"
import { tenantOf } from "@portico/testing/tenants/tenant"

/** A request that nothing is wrong with. */
export const orders: DatabaseCreate = { engine: "postgres", name: "orders", version: "17", size_gb: 20 }

export const log: DatabaseCreate = { engine: "kafka", name: "log", version: "4.3.1", size_gb: 20 }

/** Makes a database that is like the usual one of its engine but for what is said. */
export const create = (projectId: string, request: Partial<DatabaseCreate> = {}) =>
  inTime(createDatabase(projectId, { ...(request.engine === "kafka" ? log : orders), ...request }))

/** A tenant with its namespace. */
export const withNamespace = Effect.fnUntraced(function* (tier: Tier, name?: string) {
  const projectId = yield* tenantOf(tier, name)
  yield* inTime(ensureNamespace(projectId, tier))
  return projectId
})

/** The cluster as its administrator reaches it, who may do what the gateway's account may not. */
export const asAdministrator = Layer.fresh(Kubernetes.layer).pipe(
  Layer.provide(
    Layer.succeed(
      Cluster,
      Cluster.of({
        api: {
          url: `${memoryUrl}/kubernetes`,
          token: Effect.succeed(Redacted.make(fixtures.kubernetes.administratorToken)),
          renewed: () => Effect.succeed(false),
          ca: undefined
        }
      })
    )
  )
)

/** Makes an object in the tenant's namespace as somebody does through the Kubernetes API. */
export const put = Effect.fnUntraced(function* (
  kind: Kind,
  projectId: string,
  name: string,
  fields: Readonly<Record<string, unknown>>,
  labels: Readonly<Record<string, string>> = {}
) {
  const { create } = yield* Kubernetes
  return yield* create(kind, { namespace: `db-${projectId}`, name }, { labels, fields })
}, Effect.provide(asAdministrator))

/** A volume claim that the tenant makes itself. */
export const claim = (projectId: string, name: string, size: string, labels?: Readonly<Record<string, string>>) =>
  put(
    kinds.persistentVolumeClaim,
    projectId,
    name,
    { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: size } } } },
    labels
  )

/** Everything of a kind in the tenant's namespace, by name. */
export const namesOf = Effect.fnUntraced(function* (kind: Kind, projectId: string) {
  const found = yield* (yield* Kubernetes).list(kind, { namespace: `db-${projectId}` })
  return found.map((_) => _.metadata.name).toSorted()
})

/** Lets the clock run until the database is what is waited for, as somebody does who asks again and again. */
export const until = Effect.fnUntraced(function* (
  projectId: string,
  { engine, name }: Pick<DatabaseCreate, "engine" | "name">,
  status: string,
  most = 120
) {
  const seen: Array<string> = []
  for (let second = 0; second < most; second++) {
    const detail = yield* inTime(showDatabase(projectId, engine, name))
    if (seen.at(-1) !== detail.status) seen.push(detail.status)
    if (detail.status === status) return { detail, seen }
    yield* TestClock.adjust("1 second")
  }
  return yield* Effect.die(`${engine}/${name} is not ${status} within ${most} s, but ${seen.join(", ")}`)
})

/** The calls that the effect makes to Kubernetes, as `METHOD resource`. */
export const kubernetesCalls = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const cloud = yield* SimulatedCloud
  yield* cloud.clearCalls
  yield* effect
  return (yield* cloud.calls).flatMap(({ method, path, service }) =>
    service === "kubernetes" ? [`${method} ${path.replace(/^.*\/db-[0-9a-f]+\//, "")}`] : []
  )
})

/** Why something failed, as text; undefined for what succeeded. */
export const errorOf = (exit: { readonly _tag: string }): string | undefined =>
  exit._tag === "Success" ? undefined : JSON.stringify(exit)
