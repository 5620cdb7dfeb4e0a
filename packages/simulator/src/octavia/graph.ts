import { Result } from "effect"
import { has, type JsonObject, objectAt, objectsAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { read } from "./body.ts"
import { healthMonitors, type Kind, l7policies, l7rules, listeners, members, pools } from "./kinds.ts"
import { newPart, room } from "./parts.ts"
import { refuse, type Request } from "./policy.ts"
import type { Child, LoadBalancer } from "./state.ts"

/** A child that is created together with its load balancer. */
export interface Planned {
  readonly kind: Kind
  readonly child: Child
}

const without = (given: JsonObject, ...keys: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(given).filter(([key]) => !keys.includes(key)))

const plan = (
  request: Request,
  balancer: LoadBalancer,
  kind: Kind,
  given: JsonObject,
  parent: JsonObject
): Step<Planned> => {
  const own = { loadbalancer_id: balancer.id, ...given, ...parent }
  const asked = kind.fields["loadbalancer_id"] === undefined ? { ...given, ...parent } : own
  const key = kind.within?.key
  const body = key === undefined ? asked : without(asked, key)
  return Result.map(read(kind.fields, kind.resource, body, "POST"), (values) => ({
    kind,
    child: newPart(request, balancer, { ...values, ...parent })
  }))
}

const planPool = (request: Request, balancer: LoadBalancer, given: JsonObject): Step<ReadonlyArray<Planned>> =>
  Result.gen(function* () {
    const pool = yield* plan(request, balancer, pools, without(given, "members", "healthmonitor"), {})
    const parent = { pool_id: pool.child.id }
    const found = [pool]
    for (const one of objectsAt(given, "members")) found.push(yield* plan(request, balancer, members, one, parent))
    if (has(given, "healthmonitor")) {
      found.push(yield* plan(request, balancer, healthMonitors, objectAt(given, "healthmonitor"), parent))
    }
    return found
  })

const planListener = (
  request: Request,
  balancer: LoadBalancer,
  given: JsonObject,
  named: ReadonlyArray<Planned>
): Step<ReadonlyArray<Planned>> =>
  Result.gen(function* () {
    const pool = objectAt(given, "default_pool")
    // A pool is given in full, or by the name of a pool next to the listeners.
    const byName = Object.keys(pool).length === 1 ? pool["name"] : undefined
    const other = named.find((_) => _.kind.kind === "pools" && _.child.fields["name"] === byName)
    if (byName !== undefined && other === undefined) return yield* refuse(404, `Pool ${String(byName)} not found.`)
    const own = has(given, "default_pool") && byName === undefined ? yield* planPool(request, balancer, pool) : []
    const default_pool_id = other?.child.id ?? own[0]?.child.id ?? null
    const body = without(given, "default_pool", "l7policies")
    const listener = yield* plan(request, balancer, listeners, body, { default_pool_id })
    const found = [...own, listener]
    for (const one of objectsAt(given, "l7policies")) {
      const of = { listener_id: listener.child.id }
      const policy = yield* plan(request, balancer, l7policies, without(one, "rules"), of)
      found.push(policy)
      for (const rule of objectsAt(one, "rules")) {
        found.push(yield* plan(request, balancer, l7rules, rule, { l7policy_id: policy.child.id }))
      }
    }
    return found
  })

/** The children below `listeners` and `pools` in a load balancer's create, if the quota allows all of them. */
export const planned = (request: Request, balancer: LoadBalancer, given: JsonObject): Step<ReadonlyArray<Planned>> =>
  Result.gen(function* () {
    const found: Array<Planned> = []
    for (const one of objectsAt(given, "pools")) found.push(...(yield* planPool(request, balancer, one)))
    const named = [...found]
    for (const one of objectsAt(given, "listeners")) found.push(...(yield* planListener(request, balancer, one, named)))
    for (const [kind, parts] of Map.groupBy(found, (_) => _.kind.kind)) {
      yield* room(request, kind, balancer.project_id, parts.length)
    }
    return found
  })
