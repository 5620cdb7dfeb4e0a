import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { AnswerLimit } from "@portico/upstream/System"
import { Effect } from "effect"
import { labelOf } from "../kubernetes/ownership.ts"
import { stringAt, listAt } from "../kubernetes/fields.ts"

/** The objects that use storage in a tenant's namespace, whoever created them. */
export interface Holdings {
  readonly clusters: ReadonlyArray<KubernetesObject>
  readonly kafkas: ReadonlyArray<KubernetesObject>
  readonly pools: ReadonlyArray<KubernetesObject>
  readonly claims: ReadonlyArray<KubernetesObject>
}

/**
 * For reads of what tenants write, or have their workloads write: an object may have a megabyte of labels, and all calls
 * wait while an answer is parsed.
 *
 * @param most of bytes; two mebibytes are one object of the largest size
 */
export const withinBounds = <A, E, R>(read: Effect.Effect<A, E, R>, most = 2 * 1024 * 1024) =>
  Effect.provideService(read, AnswerLimit, most)

/** The volume claims of a namespace: up to ten times the size of as many ordinary ones as it may have. */
export const claimsIn = (namespace: string) =>
  Effect.flatMap(Kubernetes, (_) => withinBounds(_.list(kinds.persistentVolumeClaim, { namespace }), 512 * 1024))

/** Takes four list calls, however much there is. A namespace that does not exist yet is empty. */
export const holdingsOf = Effect.fn("databases.holdings")(function* (namespace: string) {
  const { list } = yield* Kubernetes
  const all = { namespace }
  return yield* Effect.all(
    {
      clusters: list(kinds.cluster, all),
      kafkas: list(kinds.kafka, all),
      pools: list(kinds.kafkaNodePool, all),
      claims: claimsIn(namespace)
    },
    { concurrency: "unbounded" }
  )
})

export const uidOf = (object: KubernetesObject): string => stringAt(object, "metadata", "uid") ?? ""

/** Strimzi's label for the Kafka to which a pool or a claim belongs. */
export const kafkaOf = (object: KubernetesObject): string | undefined => labelOf(object, "strimzi.io/cluster")

const referencesOf = (object: KubernetesObject): ReadonlyArray<unknown> => listAt(object, "metadata", "ownerReferences")

/**
 * Whether the operator of PostgreSQL or of Kafka made an object for one of its own. A claim that outlives its pool has
 * Strimzi's label and no owner.
 */
export const isOfDatabase = (object: KubernetesObject): boolean =>
  labelOf(object, "strimzi.io/pool-name") !== undefined ||
  referencesOf(object).some((_) => /^(postgresql\.cnpg|kafka\.strimzi)\.io\//.test(stringAt(_, "apiVersion") ?? ""))

/** The uids of an object's owners. */
const ownersOf = (object: KubernetesObject): ReadonlyArray<string> =>
  referencesOf(object).flatMap((_) => stringAt(_, "uid") ?? [])

/**
 * The claims of a database: an object of the database owns them, or their label names one of its
 * pools, as Strimzi leaves claims that outlive their pool.
 */
export const claimsOf = (
  claims: ReadonlyArray<KubernetesObject>,
  { cluster, kafka, pools = [] }: Parts
): ReadonlyArray<KubernetesObject> => {
  const uids = [cluster, kafka, ...pools].flatMap((_) => (_ === undefined ? [] : [uidOf(_)]))
  const names = pools.map((_) => _.metadata.name)
  return claims.filter((claim) => {
    const owners = ownersOf(claim)
    if (owners.length > 0) return owners.some((_) => uids.includes(_))
    const pool = stringAt(claim, "metadata", "labels", "strimzi.io/pool-name")
    return pool !== undefined && names.includes(pool)
  })
}

const databaseKinds = ["Cluster", "Kafka", "KafkaNodePool"]

/** Whether any claim is about to disappear: it is being deleted, or the database that owned it is gone. */
export const isLeaving = ({ claims, clusters, kafkas, pools }: Holdings): boolean => {
  const alive = new Set([...clusters, ...kafkas, ...pools].map(uidOf))
  const isGone = (owner: unknown) =>
    databaseKinds.includes(stringAt(owner, "kind") ?? "") && !alive.has(stringAt(owner, "uid") ?? "")
  return claims.some((_) => _.metadata["deletionTimestamp"] !== undefined || referencesOf(_).some(isGone))
}

/** The objects of a database: a cluster, or a Kafka with its pools, either of which may be missing. */
export interface Parts {
  readonly cluster?: KubernetesObject | undefined
  readonly kafka?: KubernetesObject | undefined
  readonly pools?: ReadonlyArray<KubernetesObject>
}

/** All databases in the namespace, by `engine/name`, whoever created them. */
export const partsOf = ({ clusters, kafkas, pools }: Holdings): ReadonlyMap<string, Parts> => {
  const names = new Set([...kafkas.map(nameOf), ...pools.map((_) => kafkaOf(_) ?? "")])
  return new Map<string, Parts>([
    ...clusters.map((cluster) => [`postgres/${nameOf(cluster)}`, { cluster }] as const),
    ...[...names].map(
      (name) =>
        [
          `kafka/${name}`,
          { kafka: kafkas.find((_) => nameOf(_) === name), pools: pools.filter((_) => (kafkaOf(_) ?? "") === name) }
        ] as const
    )
  ])
}

export const nameOf = (object: KubernetesObject): string => object.metadata.name ?? ""
