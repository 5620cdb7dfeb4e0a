import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { labelOf } from "../kubernetes/ownership.ts"
import { stringAt } from "./fields.ts"

/** What takes storage in a tenant's namespace, whoever made it. */
export interface Holdings {
  readonly clusters: ReadonlyArray<KubernetesObject>
  readonly kafkas: ReadonlyArray<KubernetesObject>
  readonly pools: ReadonlyArray<KubernetesObject>
  readonly claims: ReadonlyArray<KubernetesObject>
}

/** Four lists, however much there is. A namespace that is not there yet holds nothing. */
export const holdingsOf = Effect.fn("databases.holdings")(function* (namespace: string) {
  const { list } = yield* Kubernetes
  const all = { namespace }
  return yield* Effect.all(
    {
      clusters: list(kinds.cluster, all),
      kafkas: list(kinds.kafka, all),
      pools: list(kinds.kafkaNodePool, all),
      claims: list(kinds.persistentVolumeClaim, all)
    },
    { concurrency: "unbounded" }
  )
})

export const uidOf = (object: KubernetesObject): string => stringAt(object, "metadata", "uid") ?? ""

/** Strimzi's: the name of the Kafka to which a pool, or a claim, belongs. */
export const kafkaOf = (object: KubernetesObject): string | undefined => labelOf(object, "strimzi.io/cluster")

const referencesOf = (object: KubernetesObject): ReadonlyArray<unknown> => {
  const references = object.metadata["ownerReferences"]
  return Array.isArray(references) ? references : []
}

/** The uids of what owns it. */
const ownersOf = (object: KubernetesObject): ReadonlyArray<string> =>
  referencesOf(object).flatMap((_) => stringAt(_, "uid") ?? [])

/**
 * The claims of a database: something of it owns them, or, as Strimzi leaves
 * those that outlive their pool, they say that they are a pool's of it.
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

/** Whether there are claims that go by themselves: somebody deletes them, or the database that owned them is gone. */
export const isLeaving = ({ claims, clusters, kafkas, pools }: Holdings): boolean => {
  const alive = new Set([...clusters, ...kafkas, ...pools].map(uidOf))
  const isGone = (owner: unknown) =>
    databaseKinds.includes(stringAt(owner, "kind") ?? "") && !alive.has(stringAt(owner, "uid") ?? "")
  return claims.some((_) => _.metadata["deletionTimestamp"] !== undefined || referencesOf(_).some(isGone))
}

/** What a database consists of: a cluster, or a Kafka with its pools, either of which may be missing. */
export interface Parts {
  readonly cluster?: KubernetesObject | undefined
  readonly kafka?: KubernetesObject | undefined
  readonly pools?: ReadonlyArray<KubernetesObject>
}

/** Everything that is a database in the namespace, by `engine/name`, whoever made it. */
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
