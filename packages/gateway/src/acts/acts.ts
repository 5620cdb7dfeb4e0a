import type { Act } from "./Act.ts"
import { balancing } from "./balancing.ts"
import { compute } from "./compute.ts"
import { dns } from "./dns.ts"
import { image } from "./image.ts"
import { keyManager } from "./keyManager.ts"
import { kubernetes } from "./kubernetes.ts"
import { network } from "./network.ts"
import { memberOf } from "./reading.ts"
import { volume } from "./volume.ts"

/** Whether an import of a zone file deletes recordsets that the file lacks, and is not a dry run. */
const prunes = (body: unknown): boolean => memberOf(body, "prune") === true && memberOf(body, "dry_run") !== true

/** First-class routes, by their declared path. */
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
  },
  {
    service: "gateway",
    methods: ["POST"],
    path: "/v1/object-storage/buckets/:name/objects/:key/presigned",
    decision: "destroys",
    inBody: (body) => memberOf(body, "overwrite") === true,
    why: "the upload replaces the content of an object",
    source: "docs/tenants/objects.md"
  }
]

/**
 * The effects of calls whose method does not tell them. Tiers, access policies and the billing ledger read this one
 * table. A call that is not in it has the effect of its method, with one exception: where the body names an act that
 * the table does not know, its effect is unknown and it counts as `destroys`.
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

/** Whether a first-class call with this declared path destroys. */
export const destroysHere = (method: string, path: string, payload: unknown): boolean =>
  own.some((_) => _.path === path && _.methods.some((_) => _ === method) && (_.inBody?.(payload, []) ?? true))

/** The acts of a path that a body names by key, by that key. */
export const namedActs = (service: Act["service"], path: string): ReadonlyMap<string, Act> =>
  new Map(acts.flatMap((_) => (_.service === service && _.path === path && _.key !== undefined ? [[_.key, _]] : [])))
