import { Result } from "effect"
import { type JsonObject, objectAt, stringAt } from "../../../Json.ts"
import type { Answer, Step } from "../../../Wire.ts"
import { ownersOf } from "../../garbageCollection.ts"
import { isRunning } from "../../pods.ts"
import { formatQuantity, parseQuantity } from "../../quantity.ts"
import type { Thing } from "../../state.ts"
import { find, inNamespace } from "../../store.ts"
import { ensure, make, newClaim, removeThing, type Pass } from "../writes.ts"
import { belonging } from "./dependents.ts"
import { imageOf, instanceLabel, specOf, statusOf } from "./names.ts"

/** One server of a cluster: its volume, and its pod, if one runs. */
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

const owned = (pass: Pass, resource: string, cluster: Thing): ReadonlyArray<Thing> =>
  inNamespace(pass.state, resource, cluster.metadata.namespace ?? "").filter((_) =>
    ownersOf(_).some((owner) => owner.uid === cluster.metadata.uid)
  )

export const partsOf = (pass: Pass, cluster: Thing): Parts => {
  const claims = owned(pass, "persistentvolumeclaims", cluster).filter(
    (_) => _.metadata.deletionTimestamp === undefined
  )
  const pods = new Map(owned(pass, "pods", cluster).map((_) => [_.metadata.name, _]))
  const instances = claims
    .filter((_) => _.metadata.labels?.["cnpg.io/pvcRole"] === "PG_DATA")
    .map((claim) => {
      const { name } = claim.metadata
      return { name, serial: Number(name.slice(name.lastIndexOf("-") + 1)), claim, pod: pods.get(name) }
    })
    .toSorted((a, b) => a.serial - b.serial)
  return { instances, claims, jobs: owned(pass, "jobs.batch", cluster) }
}

export const isReady = ({ pod }: Instance): boolean =>
  pod !== undefined && isRunning(pod) && pod.metadata.deletionTimestamp === undefined

export const isBound = (claim: Thing): boolean => objectAt(claim, "status")["phase"] === "Bound"

/** The volumes of an instance: one, or two with a WAL volume. */
const volumesOf = (cluster: Thing, name: string) => {
  const spec = specOf(cluster)
  return [
    { name, role: "PG_DATA", storage: objectAt(spec, "storage") },
    ...(spec["walStorage"] === undefined
      ? []
      : [{ name: `${name}-wal`, role: "PG_WAL", storage: objectAt(spec, "walStorage") }])
  ]
}

/** Creates the claims of an instance; the error has the API server's message. */
export const makeClaims = (pass: Pass, cluster: Thing, serial: number): Result.Result<void, ClaimRefused> =>
  Result.gen(function* () {
    const instance = `${cluster.metadata.name}-${serial}`
    for (const { name, role, storage } of volumesOf(cluster, instance)) {
      const labels = { [instanceLabel]: instance, "cnpg.io/pvcRole": role }
      const metadata = belonging(cluster, name, labels)
      const body = newClaim(metadata, canonicalSize(storage), stringAt(storage, "storageClass"))
      const found = find(pass.state, "persistentvolumeclaims", cluster.metadata.namespace ?? "", name)
      // A claim with another owner does not belong to the cluster: the API server answers that the name exists.
      const own = found !== undefined && ownersOf(found).some((_) => _.uid === cluster.metadata.uid)
      if (own) continue
      yield* Result.mapError(make(pass, "persistentvolumeclaims", body), (answer) => {
        // All claims or none: an instance with some of its volumes would count as existing.
        for (const claim of partsOf(pass, cluster).claims.filter(
          (_) => _.metadata.labels?.[instanceLabel] === instance
        )) {
          removeThing(pass, "persistentvolumeclaims", claim)
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

const canonicalSize = (storage: JsonObject): string => {
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

export const makePod = (pass: Pass, cluster: Thing, name: string): Step<Thing> => {
  const { currentPrimary, targetPrimary } = statusOf(cluster)
  const role = (currentPrimary ?? targetPrimary) === name ? "primary" : "replica"
  return ensure(pass, "pods", podOf(cluster, name, role))
}

/** Removes an instance with its volumes. */
export const removeInstance = (pass: Pass, parts: Parts, { name, pod }: Instance): void => {
  if (pod !== undefined) removeThing(pass, "pods", pod)
  for (const claim of parts.claims.filter((_) => _.metadata.labels?.[instanceLabel] === name)) {
    removeThing(pass, "persistentvolumeclaims", claim)
  }
}
