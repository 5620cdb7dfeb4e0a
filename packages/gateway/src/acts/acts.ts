import { Predicate } from "effect"
import type { Act } from "./Act.ts"
import { balancing } from "./balancing.ts"
import { compute } from "./compute.ts"
import { dns } from "./dns.ts"
import { image } from "./image.ts"
import { keyManager } from "./keyManager.ts"
import { kubernetes } from "./kubernetes.ts"
import { network } from "./network.ts"
import { volume } from "./volume.ts"

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
