import { Predicate } from "effect"
import { deletesClaims, namesOwner } from "../proxy/kubernetes/guards.ts"
import { type Act, bodied } from "./Act.ts"
import { balancing } from "./balancing.ts"
import { compute } from "./compute.ts"
import { dns } from "./dns.ts"
import { image } from "./image.ts"
import { keyManager } from "./keyManager.ts"
import { network } from "./network.ts"
import { volume } from "./volume.ts"

/**
 * The cluster, whose path is a kind in a namespace, the name of an object, and a sub-resource, or nothing for the object
 * itself. A body is looked at in parts, see `Guard`.
 */
const kubernetes: ReadonlyArray<Act> = [
  {
    service: "kubernetes",
    methods: bodied,
    path: "*/*/eviction",
    decision: "destroys",
    why: "the pod is deleted",
    source: "https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/"
  },
  {
    // Not POST, but for the next: what is only made now can be owned by whatever it likes, as the Job is that is made
    // from a CronJob.
    service: "kubernetes",
    methods: ["PUT", "PATCH"],
    path: "*/*/",
    decision: "destroys",
    inBody: namesOwner,
    why: "the cluster deletes an object whose owners are gone, or never were",
    source: "https://kubernetes.io/docs/concepts/architecture/garbage-collection/"
  },
  {
    service: "kubernetes",
    methods: ["POST"],
    path: "statefulsets/*/",
    decision: "destroys",
    inBody: namesOwner,
    why: "deleted for want of its owner, it takes volume claims along that its replicas are named for, with whenDeleted",
    source: "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention"
  },
  {
    service: "kubernetes",
    methods: bodied,
    path: "statefulsets/*/",
    decision: "destroys",
    inBody: deletesClaims,
    why: "scaling down deletes volume claims, with what they hold",
    source: "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention"
  }
]

/** Whether an import of a zone file removes what the file lacks, and is not only asked what it would do. */
const prunes = (body: unknown): boolean =>
  Predicate.isReadonlyObject(body) && body["prune"] === true && body["dry_run"] !== true

/** First-class routes, by the path that they are declared with. */
const own: ReadonlyArray<Act> = [
  {
    service: "gateway",
    methods: ["POST"],
    path: "/v1/dns/zones/:zone_id/import",
    decision: "destroys",
    inBody: prunes,
    why: "with prune, recordsets that the file lacks are deleted",
    source: "docs/tenants/dns.md, Import"
  },
  {
    service: "gateway",
    methods: ["POST"],
    path: "/v1/account/close",
    decision: "destroys",
    why: "it ends in everything being destroyed",
    source: "docs/tenants/accounts.md"
  }
]

/**
 * What calls come to whose method does not tell: the one table that tiers,
 * access policies and the billing ledger read. Whatever is not in it is what
 * its method says, with one exception: where the body names an act, and the
 * name is none of the table's, nobody knows what it does, and it is held to
 * what destroys.
 */
export const acts: ReadonlyArray<Act> = [
  ...compute,
  ...volume,
  ...network,
  ...image,
  ...dns,
  ...balancing,
  ...keyManager,
  ...kubernetes,
  ...own
]

/** Whether a first-class call destroys, whose path is the declared one. */
export const destroysHere = (method: string, path: string, payload: unknown): boolean =>
  own.some((_) => _.path === path && _.methods.some((_) => _ === method) && (_.inBody?.(payload, []) ?? true))

/** The acts that a body names at a path, by their key. */
export const namedActs = (service: Act["service"], path: string): ReadonlyMap<string, Act> =>
  new Map(acts.flatMap((_) => (_.service === service && _.path === path && _.key !== undefined ? [[_.key, _]] : [])))
