import { Result } from "effect"
import { objectAt, stringAt } from "../../../Json.ts"
import type { Answer } from "../../../Wire.ts"
import { ownersOf } from "../../garbage.ts"
import { isRunning } from "../../pods.ts"
import { formatQuantity, parseQuantity } from "../../quantity.ts"
import type { JsonObject, Thing } from "../../state.ts"
import type { Step } from "../../status.ts"
import { find, inNamespace } from "../../store.ts"
import { ensure, make, removeThing, type Turn } from "../writes.ts"
import { belonging } from "./furnish.ts"
import { imageOf, instanceLabel, specOf, statusOf } from "./names.ts"

/** One server of a cluster: the volume it lives on, and the pod that runs it, if one does. */
export interface Instance {
  readonly name: string
  readonly serial: number
  readonly claim: Thing
  readonly pod: Thing | undefined
}

export interface Parts {
  /** In the order of their making. */
  readonly instances: ReadonlyArray<Instance>
  readonly claims: ReadonlyArray<Thing>
  readonly jobs: ReadonlyArray<Thing>
}

const owned = (turn: Turn, resource: string, cluster: Thing): ReadonlyArray<Thing> =>
  inNamespace(turn.state, resource, cluster.metadata.namespace ?? "").filter((_) =>
    ownersOf(_).some((owner) => owner.uid === cluster.metadata.uid)
  )

export const partsOf = (turn: Turn, cluster: Thing): Parts => {
  const claims = owned(turn, "persistentvolumeclaims", cluster).filter(
    (_) => _.metadata.deletionTimestamp === undefined
  )
  const pods = new Map(owned(turn, "pods", cluster).map((_) => [_.metadata.name, _]))
  const instances = claims
    .filter((_) => _.metadata.labels?.["cnpg.io/pvcRole"] === "PG_DATA")
    .map((claim) => {
      const { name } = claim.metadata
      return { name, serial: Number(name.slice(name.lastIndexOf("-") + 1)), claim, pod: pods.get(name) }
    })
    .toSorted((a, b) => a.serial - b.serial)
  return { instances, claims, jobs: owned(turn, "jobs.batch", cluster) }
}

export const isReady = ({ pod }: Instance): boolean =>
  pod !== undefined && isRunning(pod) && pod.metadata.deletionTimestamp === undefined

export const isBound = (claim: Thing): boolean => objectAt(claim, "status")["phase"] === "Bound"

/** The volumes of an instance: one, or two when the log has one of its own. */
const volumesOf = (cluster: Thing, name: string) => {
  const spec = specOf(cluster)
  return [
    { name, role: "PG_DATA", storage: objectAt(spec, "storage") },
    ...(spec["walStorage"] === undefined
      ? []
      : [{ name: `${name}-wal`, role: "PG_WAL", storage: objectAt(spec, "walStorage") }])
  ]
}

/** Claims the volumes of an instance, in the API server's words when it has something against it. */
export const makeClaims = (turn: Turn, cluster: Thing, serial: number): Result.Result<void, ClaimRefused> =>
  Result.gen(function* () {
    const instance = `${cluster.metadata.name}-${serial}`
    for (const { name, role, storage } of volumesOf(cluster, instance)) {
      const labels = { [instanceLabel]: instance, "cnpg.io/pvcRole": role }
      const storageClass = stringAt(storage, "storageClass")
      const body = {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: belonging(cluster, name, labels),
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: canonicalSize(storage) } },
          ...(storageClass === undefined ? {} : { storageClassName: storageClass })
        }
      }
      const found = find(turn.state, "persistentvolumeclaims", cluster.metadata.namespace ?? "", name)
      // A volume of somebody else's is no volume of the cluster: the API server says that the name is taken.
      const own = found !== undefined && ownersOf(found).some((_) => _.uid === cluster.metadata.uid)
      if (own) continue
      yield* Result.mapError(make(turn, "persistentvolumeclaims", body), (answer) => {
        // All of them or none: an instance with half of its volumes would be taken for one that is there.
        for (const claim of partsOf(turn, cluster).claims.filter(
          (_) => _.metadata.labels?.[instanceLabel] === instance
        )) {
          removeThing(turn, "persistentvolumeclaims", claim)
        }
        return { name, serial, answer }
      })
    }
  })

export interface ClaimRefused {
  readonly name: string
  readonly serial: number
  readonly answer: Answer
}

export const canonicalSize = (storage: JsonObject): string => {
  const size = parseQuantity(storage["size"])
  return size === undefined ? "0" : formatQuantity(size)
}

/** The size that a claim is to have. */
export const wantedSize = (cluster: Thing, claim: Thing): string =>
  canonicalSize(
    objectAt(specOf(cluster), claim.metadata.labels?.["cnpg.io/pvcRole"] === "PG_WAL" ? "walStorage" : "storage")
  )

const podOf = (cluster: Thing, name: string, role: "primary" | "replica"): JsonObject => {
  const spec = specOf(cluster)
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: belonging(cluster, name, {
      [instanceLabel]: name,
      "cnpg.io/podRole": "instance",
      "cnpg.io/instanceRole": role,
      role
    }),
    spec: {
      hostname: name,
      serviceAccountName: cluster.metadata.name,
      containers: [
        {
          name: "postgres",
          image: imageOf(cluster),
          command: ["/controller/manager", "instance", "run"],
          ports: [{ name: "postgresql", containerPort: 5432, protocol: "TCP" }],
          resources: objectAt(spec, "resources"),
          volumeMounts: [{ name: "pgdata", mountPath: "/var/lib/postgresql/data" }]
        }
      ],
      volumes: volumesOf(cluster, name).map((_) => ({
        name: _.role === "PG_WAL" ? "pg-wal" : "pgdata",
        persistentVolumeClaim: { claimName: _.name }
      }))
    }
  }
}

export const makePod = (turn: Turn, cluster: Thing, name: string): Step<Thing> => {
  const { currentPrimary, targetPrimary } = statusOf(cluster)
  const role = (currentPrimary ?? targetPrimary) === name ? "primary" : "replica"
  return ensure(turn, "pods", podOf(cluster, name, role))
}

/** An instance goes with everything on its volumes. */
export const removeInstance = (turn: Turn, parts: Parts, { name, pod }: Instance): void => {
  if (pod !== undefined) removeThing(turn, "pods", pod)
  for (const claim of parts.claims.filter((_) => _.metadata.labels?.[instanceLabel] === name)) {
    removeThing(turn, "persistentvolumeclaims", claim)
  }
}
