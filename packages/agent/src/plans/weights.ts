import { Effect } from "effect"
import type { ApiRequest } from "../Api.ts"
import type { Tool } from "../tools/Tool.ts"
import { at, bodyOf } from "./json.ts"
import { ProxyWeights, type Weight } from "./Plans.ts"
import { isProxied, routeOf } from "./routes.ts"

const always = (): boolean => true

/**
 * Routes whose effect an agent cannot undo, or that lose data. Creations are not among them, because a person can
 * delete what a call created. Routes that need tier 2 or a person's role are not either, because the API refuses them
 * to every agent. The rotation of a credential is not: an agent rotates only itself and what it made, and the old
 * credential keeps working for a while.
 */
export const irreversible: Readonly<Record<string, (body: unknown) => boolean>> = {
  // The old secret stops working.
  "POST /v1/object-storage/credentials/rotate": always,
  "POST /v1/databases/:engine/:name/rotate-credentials": always,
  "POST /v1/webhooks/:webhook_id/rotate-secret": always,
  "POST /v1/integrations/:integration_id/rotate-secret": always,
  // The old address and headers hold secrets that nothing shows, and a dropped mail address has to agree again.
  "PATCH /v1/integrations/:integration_id": (body) => ["url", "headers", "to"].some((_) => at(body, _) !== undefined),
  // The storage of a database never shrinks.
  "PATCH /v1/databases/:engine/:name": (body) => at(body, "size_gb") !== undefined,
  // The import replaces every recordset of the zone that the file has too.
  "POST /v1/dns/zones/:zone_id/import": (body) => at(body, "dry_run") !== true,
  // A smaller group deletes servers with all their data.
  "PATCH /v1/autoscaling/groups/:group_id": always,
  "POST /v1/autoscaling/groups/:group_id/policies/:policy/trigger": always
}

/** The weights of a tool call, by the request that it makes. */
export const weightOf = Effect.fnUntraced(function* (tool: Pick<Tool, "weight">, request: ApiRequest) {
  // A proxy's tool can make any request to its service, so the request alone decides.
  if (isProxied(request)) return (yield* ProxyWeights).of(request)
  const route = routeOf(request)
  const cannotUndo = route !== undefined && irreversible[route.name]?.(bodyOf(request)) === true
  return [...new Set<Weight>([...tool.weight, ...(cannotUndo ? (["irreversible"] as const) : [])])]
})
