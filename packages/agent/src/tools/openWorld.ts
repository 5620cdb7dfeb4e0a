import type { Tool } from "./Tool.ts"

/**
 * Areas in which a change makes the platform connect to an address, or look up a name, that the caller chooses: the
 * receivers of events, the domains of exposures and zones with the masters of a secondary zone, the members of a load
 * balancer, and the registries that the cluster pulls images from. A plan carries out any of these changes.
 */
const outward: ReadonlySet<string> = new Set([
  "webhooks",
  "integrations",
  "edge",
  "dns",
  "load-balancer",
  "kubernetes",
  "plans"
])

/** Operations that only read, and that ask servers outside of the platform. */
const outwardReads: ReadonlySet<string | undefined> = new Set(["dns.delegation"])

/**
 * Whether a call of the tool can reach beyond the platform, for the `openWorldHint` of MCP. Every other tool acts within
 * the tenant alone.
 */
export const isOpenWorld = ({ area, operation, writes }: Pick<Tool, "area" | "operation" | "writes">): boolean =>
  writes ? outward.has(area) : outwardReads.has(operation)
