import type { DatabaseDetail, DatabaseEvent, DatabaseFilters, DatabaseRecord } from "@portico/contract/Databases"
import { type PageRequest, pageRequestOf } from "@portico/contract/Page"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { DateTime, Effect, Option } from "effect"
import { badGateway } from "../badGateway.ts"
import { pageOfAll } from "../pageOfAll.ts"
import { backupView } from "./backups.ts"
import { kafkaEndpoint } from "./engines/kafka.ts"
import { postgresEndpoint } from "./engines/postgres.ts"
import { stringAt, wholeAt } from "../kubernetes/fields.ts"
import { claimsIn, claimsOf, holdingsOf, nameOf, uidOf, withinBounds } from "./holdings.ts"
import { databaseRefOf, namespaceOf } from "./database.ts"
import { partsAt, toWire, recordsOf } from "./record.ts"

/**
 * Lists the databases of a tenant that the gateway created, oldest first (contract, Managed
 * databases). It takes four concurrent upstream calls, however many databases there are. `count` is
 * the number of databases that the filters select, on all pages.
 *
 * Errors: 404 in a cloud without a cluster; 502.
 */
export const listDatabases = Effect.fn("databases.list")(
  function* (projectId: string, filters: DatabaseFilters = {}, page: PageRequest = pageRequestOf({})) {
    const all = recordsOf(yield* holdingsOf(yield* namespaceOf(projectId)))
    const { count, next_cursor, rows } = pageOfAll(
      all.filter((_) => isSelected(_, filters)),
      page,
      positionOf
    )
    return { count, next_cursor, databases: rows }
  },
  (effect) => Effect.catchTag(effect, "UpstreamError", badGateway)
)

const isSelected = (record: DatabaseRecord, { engine, name, status }: DatabaseFilters): boolean =>
  (engine === undefined || record.engine === engine) &&
  (name === undefined || record.name === name) &&
  (status === undefined || record.status === status)

const positionOf = ({ created_at, engine, name }: DatabaseRecord) => ({
  at: Option.match(DateTime.make(created_at), { onNone: () => 0, onSome: DateTime.toEpochMillis }),
  id: `${name} ${engine}`
})

/**
 * A database with its endpoint, its latest events and its recovery window. An absent name takes the
 * same upstream calls as an existing one, so the cost does not reveal another tenant's names.
 *
 * Errors: 404; 502.
 */
export const showDatabase = Effect.fn("databases.show")(
  function* (projectId: string, engine: string, name: string) {
    const ref = yield* databaseRefOf(projectId, engine, name)
    const { list } = yield* Kubernetes
    const { namespace } = ref
    const about = (fieldSelector: string) =>
      withinBounds(list(kinds.event, { namespace, fieldSelector, limit: mostListed }))
    const [parts, allClaims, events] = yield* Effect.all(
      [partsAt(ref), claimsIn(namespace), Effect.forEach(aboutDatabase(engine, name), about, allAtOnce)],
      allAtOnce
    )
    const { cluster, kafka, pools = [] } = parts
    const claims = claimsOf(allClaims, parts)
    const record = toWire(parts, claims)
    const objects = [cluster, kafka, ...pools, ...claims].flatMap((_) => _ ?? [])
    return {
      ...record,
      backup: cluster === undefined ? null : yield* backupView(cluster),
      ready: record.status === "ready",
      endpoint: cluster === undefined ? kafkaEndpoint(kafka) : postgresEndpoint(cluster),
      events: digestOf(events.flat(), objects)
    } satisfies DatabaseDetail
  },
  (effect) => Effect.catchTag(effect, "UpstreamError", badGateway)
)

/** The most events of a digest. */
const most = 20

/** The most events of each kind of object that are looked at. The cluster counts those that are alike in one. */
const mostListed = 500

const allAtOnce = { concurrency: "unbounded" } as const

/**
 * The selectors of the events of a database's objects. A tenant's workloads cause events without a number in the same
 * namespace, which are not read.
 */
const aboutDatabase = (engine: string, name: string): ReadonlyArray<string> => [
  ...(engine === "postgres"
    ? [`involvedObject.kind=Cluster,involvedObject.name=${name}`]
    : [`involvedObject.kind=Kafka,involvedObject.name=${name}`, "involvedObject.kind=KafkaNodePool"]),
  "involvedObject.kind=PersistentVolumeClaim"
]

/**
 * The latest events of the objects, newest first, out of those of their kinds. Events are matched by the object's uid, so those of an earlier life of the name are excluded.
 */
const digestOf = (
  events: ReadonlyArray<KubernetesObject>,
  objects: ReadonlyArray<KubernetesObject>
): ReadonlyArray<DatabaseEvent> => {
  const uids = new Set(objects.map(uidOf))
  return events
    .filter((_) => uids.has(stringAt(_, "involvedObject", "uid") ?? ""))
    .map((event) => ({ name: nameOf(event), row: eventToWire(event) }))
    .toSorted((a, b) => b.row.at.localeCompare(a.row.at) || a.name.localeCompare(b.name))
    .slice(0, most)
    .map((_) => _.row)
}

/** Reads both generations of events: those with a count of their own, and those of a series. */
const eventToWire = (event: KubernetesObject): DatabaseEvent => ({
  at: momentOf(
    stringAt(event, "series", "lastObservedTime") ??
      stringAt(event, "lastTimestamp") ??
      stringAt(event, "eventTime") ??
      stringAt(event, "metadata", "creationTimestamp") ??
      ""
  ),
  type: stringAt(event, "type") ?? "Normal",
  reason: stringAt(event, "reason") ?? "",
  message: stringAt(event, "message") ?? "",
  object: `${stringAt(event, "involvedObject", "kind") ?? ""}/${stringAt(event, "involvedObject", "name") ?? ""}`,
  count: wholeAt(event, "series", "count") ?? wholeAt(event, "count") ?? 1
})

const momentOf = (text: string): string =>
  Option.match(DateTime.make(text), { onNone: () => text, onSome: DateTime.formatIso })
