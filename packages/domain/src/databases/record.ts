import type { DatabaseRecord, Engine } from "@portico/contract/Databases"
import { NotFound } from "@portico/contract/Failures"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { DateTime, Effect, Option } from "effect"
import { isManaged } from "../kubernetes/ownership.ts"
import { backupOf } from "./backups.ts"
import { sizeOf, volumesOf } from "./ceilings.ts"
import { at, bytesOf, gibOf, stringAt, wholeAt } from "../kubernetes/fields.ts"
import { claimsOf, type Holdings, kafkaOf, nameOf, type Parts, partsOf } from "./holdings.ts"
import type { DatabaseRef } from "./database.ts"
import { kafkaStanding, postgresStanding } from "./status.ts"

/**
 * The image of each major version of PostgreSQL. Each tag is pinned completely: CloudNativePG
 * refuses `latest`, and a moving tag would upgrade databases without a request.
 */
const postgresImages = {
  "16": "ghcr.io/cloudnative-pg/postgresql:16.10-system-trixie",
  "17": "ghcr.io/cloudnative-pg/postgresql:17.6-system-trixie",
  "18": "ghcr.io/cloudnative-pg/postgresql:18.0-system-trixie"
} as const

/** The versions that the platform's Strimzi operator supports. */
const kafkaVersions = ["4.2.0", "4.2.1", "4.3.0", "4.3.1"] as const

/** The allowed values of `version`, by engine. This is the only table of them. */
export const versions: Readonly<Record<Engine, ReadonlyArray<string>>> = {
  postgres: Object.keys(postgresImages),
  kafka: kafkaVersions
}

/** Undefined for a version that the platform does not run. */
export const postgresImage = (version: string): string | undefined =>
  Object.entries(postgresImages).find(([major]) => major === version)?.[1]

/** The major version of any image, the gateway's or not; empty when the tag does not contain it. */
export const majorOf = (image: string): string => /:(\d+)[^/]*$/.exec(image)?.[1] ?? ""

/** The annotation with the version on a pool, read while there is no Kafka. */
export const versionNote = "portico/version"

/** The parts that the gateway created; undefined when it created none. */
export const managedParts = ({ cluster, kafka, pools = [] }: Parts): Parts | undefined => {
  const own = {
    cluster: cluster !== undefined && isManaged(cluster) ? cluster : undefined,
    kafka: kafka !== undefined && isManaged(kafka) ? kafka : undefined,
    pools: pools.filter(isManaged)
  }
  if (own.cluster === undefined && own.kafka === undefined && own.pools.length === 0) return undefined
  // A gateway's pool on another client's Kafka cannot be shown as one database.
  return kafka !== undefined && own.kafka === undefined ? undefined : own
}

/** The records of all databases that the gateway created, oldest first. */
export const recordsOf = (holdings: Holdings): ReadonlyArray<DatabaseRecord> =>
  [...partsOf(holdings).values()]
    .flatMap((_) => {
      const own = managedParts(_)
      return own === undefined ? [] : [toWire(own, claimsOf(holdings.claims, own))]
    })
    .toSorted((a, b) => order(a).localeCompare(order(b)))

const order = ({ created_at, engine, name }: DatabaseRecord): string => `${created_at} ${name} ${engine}`

/** The record of a database, the same for all engines, from its parts and the namespace's claims. */
export const toWire = (parts: Parts, claims: ReadonlyArray<KubernetesObject>): DatabaseRecord =>
  parts.cluster === undefined ? kafkaRecord(parts, claims) : postgresRecord(parts.cluster, claims)

const postgresRecord = (cluster: KubernetesObject, claims: ReadonlyArray<KubernetesObject>): DatabaseRecord => ({
  engine: "postgres",
  name: nameOf(cluster),
  version: majorOf(stringAt(cluster, "spec", "imageName") ?? ""),
  size_gb: gibOf(bytesOf(sizeOf(at(cluster, "spec", "storage")))),
  replicas: wholeAt(cluster, "spec", "instances") ?? 0,
  ...postgresStanding(cluster, claims),
  created_at: createdAt(cluster),
  backup: backupOf(cluster),
  restored_from: stringAt(cluster, "spec", "bootstrap", "recovery", "source") ?? null
})

const kafkaRecord = ({ kafka, pools = [] }: Parts, claims: ReadonlyArray<KubernetesObject>): DatabaseRecord => {
  const pool = pools[0]
  return {
    engine: "kafka",
    name: kafka === undefined ? ((pool && kafkaOf(pool)) ?? "") : nameOf(kafka),
    version:
      stringAt(kafka, "spec", "kafka", "version") ?? stringAt(pool, "metadata", "annotations", versionNote) ?? "",
    size_gb: pool === undefined ? 0 : gibOf(bytesOf(at(volumesOf(pool)[0], "size"))),
    replicas: wholeAt(pool, "spec", "replicas") ?? 0,
    ...kafkaStanding(kafka, pool, claims),
    created_at: createdAt(kafka ?? pool),
    backup: null,
    restored_from: null
  }
}

const createdAt = (object: unknown): string => {
  const text = stringAt(object, "metadata", "creationTimestamp") ?? ""
  return Option.match(DateTime.make(text), { onNone: () => text, onSome: DateTime.formatIso })
}

/**
 * The parts of a database, read by its name.
 *
 * Errors: 404 for a database that the gateway did not create; UpstreamError.
 */
export const partsAt = Effect.fn("databases.partsAt")(function* (ref: DatabaseRef) {
  const parts = managedParts(yield* anyPartsAt(ref))
  return parts ?? (yield* NotFound.database(ref.name))
})

/** As {@link partsAt}, also for databases that the gateway did not create. */
const anyPartsAt = Effect.fnUntraced(function* ({ engine, name, namespace }: DatabaseRef) {
  const { find, list } = yield* Kubernetes
  if (engine === "postgres") return { cluster: yield* find(kinds.cluster, { namespace, name }) } satisfies Parts
  return yield* Effect.all(
    {
      kafka: find(kinds.kafka, { namespace, name }),
      pools: list(kinds.kafkaNodePool, { namespace, labelSelector: `strimzi.io/cluster=${name}` })
    },
    { concurrency: "unbounded" }
  )
})

/**
 * The `Cluster` of a PostgreSQL database that the gateway created.
 *
 * Errors: 404; UpstreamError.
 */
export const ownCluster = Effect.fnUntraced(function* (ref: DatabaseRef) {
  const { cluster } = yield* partsAt(ref)
  return cluster ?? (yield* NotFound.database(ref.name))
})
