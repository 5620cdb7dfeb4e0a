import { ActsOn, tierOf } from "@portico/contract/Access"
import { areaOf } from "@portico/contract/areas"
import { Context, Effect } from "effect"
import type { ApiRequest } from "../Api.ts"
import type { Tool } from "../tools/Tool.ts"
import { proxyToolName } from "../tools/proxies.ts"
import { at, bodyOf } from "./json.ts"
import { ProxyWeights, type Weight } from "./Plans.ts"
import { isProxied, routeOf } from "./routes.ts"

const always = (): boolean => true

/** Whether an overlap is shorter than the default of an hour, which gives people time to replace the old secret. */
const isShort = (seconds: unknown): boolean =>
  seconds !== undefined && !(typeof seconds === "number" && seconds >= 3600)

/** Whether a change of a webhook or an integration may send more than before, or elsewhere. */
const sendsMore = (body: unknown): boolean =>
  at(body, "enabled") === true || ["headers", "kinds", "to", "topics", "url"].some((_) => at(body, _) !== undefined)

/** Whether a change of an alarm may change its state, which applies the scaling policies that name it. */
const setsOff = (body: unknown): boolean => ["enabled", "rule"].some((_) => at(body, _) !== undefined)

/**
 * Routes whose effect an agent cannot undo, or that lose data. Creations are not among them, because a person can
 * delete what a call created. Routes that need tier 2 or a person's role are not either, because the API refuses them
 * to every agent.
 */
export const irreversible: Readonly<Record<string, (body: unknown) => boolean>> = {
  // The old secret stops working.
  "POST /v1/object-storage/credentials/rotate": always,
  "POST /v1/databases/:engine/:name/rotate-credentials": always,
  "POST /v1/webhooks/:webhook_id/rotate-secret": always,
  "POST /v1/integrations/:integration_id/rotate-secret": always,
  // An agent rotates only itself and what it made. With a short overlap the old one ends before a person hears of it.
  "POST /v1/credentials/:credential_id/rotate": (body) => isShort(at(body, "overlap_seconds")),
  // What is sent to an address cannot be called back.
  "POST /v1/webhooks": always,
  "PATCH /v1/webhooks/:webhook_id": sendsMore,
  "POST /v1/integrations": always,
  // Besides, the old address and headers hold secrets that nothing shows, and a dropped mail address has to agree again.
  "PATCH /v1/integrations/:integration_id": sendsMore,
  // The storage of a database never shrinks.
  "PATCH /v1/databases/:engine/:name": (body) => at(body, "size_gb") !== undefined,
  // The import replaces every recordset of the zone that the file has too.
  "POST /v1/dns/zones/:zone_id/import": (body) => at(body, "dry_run") !== true,
  // A smaller group deletes servers with all their data.
  "PATCH /v1/autoscaling/groups/:group_id": always,
  "POST /v1/autoscaling/groups/:group_id/policies/:policy/trigger": always,
  "PATCH /v1/alarms/:alarm_id": setsOff
}

/** Routes that cost money where their body says so. Of those that always do the tool itself says it. */
const billed: Readonly<Record<string, (body: unknown) => boolean>> = { "PATCH /v1/alarms/:alarm_id": setsOff }

const byBody = { billed, irreversible }

/**
 * The tools of the services, besides the called one, that a request acts on: making a volume by way of compute is named
 * by `volume_write` too, and a recordset by its own route by `dns_write`.
 */
export const toolsOf = Effect.fnUntraced(function* (request: ApiRequest) {
  const areas = isProxied(request)
    ? (yield* ProxyWeights).otherAreas(request)
    : [areaOf(request.path), ...Context.get(routeOf(request)?.endpoint.annotations ?? Context.empty(), ActsOn)]
  return areas.map((_) => proxyToolName(_, tierOf(request.method) === 0 ? "read" : "write"))
})

/** The weights of a tool call, by the request that it makes. */
export const weightOf = Effect.fnUntraced(function* (tool: Pick<Tool, "weight">, request: ApiRequest) {
  // A proxy's tool can make any request to its service, so the request alone decides.
  if (isProxied(request)) return (yield* ProxyWeights).of(request)
  const route = routeOf(request)
  if (route === undefined) return tool.weight
  const own = (["billed", "irreversible"] as const).filter((_) => byBody[_][route.name]?.(bodyOf(request)) === true)
  return [...new Set<Weight>([...tool.weight, ...own])]
})
