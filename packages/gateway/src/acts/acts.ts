import type { Act } from "./Act.ts"
import { balancing } from "./balancing.ts"
import { compute } from "./compute.ts"
import { dns } from "./dns.ts"
import { image } from "./image.ts"
import { keyManager } from "./keyManager.ts"
import { kubernetes } from "./kubernetes.ts"
import { network } from "./network.ts"
import { volume } from "./volume.ts"

/**
 * The effects of calls behind the proxies whose method does not tell them, and the areas and projects that calls reach
 * beyond their own. Tiers, access policies, the confirmations of agents and the billing ledger read this one table. A
 * call that is not in it has the effect of its method on things of its own service, with one exception: where the body
 * names an act that the table does not know, its effect is unknown and it counts as `destroys`. First-class routes
 * declare theirs in the contract (`MinimumTier`, `DestroysWith`, `ActsOn`).
 */
export const acts: ReadonlyArray<Act> = [
  ...compute,
  ...volume,
  ...network,
  ...image,
  ...dns,
  ...balancing,
  ...keyManager,
  ...kubernetes
]

/** The acts of a path that a body names by key, by that key. */
export const namedActs = (service: Act["service"], path: string): ReadonlyMap<string, Act> =>
  new Map(acts.flatMap((_) => (_.service === service && _.path === path && _.key !== undefined ? [[_.key, _]] : [])))
