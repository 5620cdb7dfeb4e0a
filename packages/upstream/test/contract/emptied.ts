import { Effect } from "effect"
import { type Answer, type Asked, idsIn } from "./Answer.ts"

type Ask<R> = (line: string, asked?: Asked) => Effect.Effect<Answer, never, R>

/** What tenants can hold, in an order in which it can go: path, key of the list, and what a removal adds. */
const collections: ReadonlyArray<readonly [path: string, key: string, query?: string]> = [
  ["load-balancer/lbaas/loadbalancers", "loadbalancers", "?cascade=true"],
  ["compute/servers", "servers"],
  ["volume/snapshots", "snapshots"],
  ["volume/volumes", "volumes"],
  ["network/floatingips", "floatingips"],
  ["network/ports", "ports"],
  ["network/routers", "routers"],
  ["network/networks", "networks"],
  ["network/security-groups", "security_groups"],
  ["network/address-groups", "address_groups"],
  ["dns/zones", "zones"]
]

/** Removes what the cases have left in their tenants: what cannot go yet is tried again, a bounded number of times. */
export const emptied = Effect.fnUntraced(function* <R>(asks: ReadonlyArray<Ask<R>>, pause: Effect.Effect<void>) {
  for (const ask of asks) {
    for (let round = 0; round < 20; round++) {
      const left = yield* Effect.forEach(collections, (_) => removeAll(ask, _))
      if (left.every((_) => _ === 0)) break
      yield* pause
    }
  }
})

const removeAll = Effect.fnUntraced(function* <R>(
  ask: Ask<R>,
  [path, key, query = ""]: readonly [path: string, key: string, query?: string]
) {
  const found = yield* ask(`GET ${path}`)
  const ids = idsIn(found, key).filter((_, index) => !isKept(found, key, index))
  for (const id of ids) {
    if (key === "routers") yield* removeInterfaces(ask, id)
    yield* ask(`DELETE ${path}/${id}${query}`)
  }
  return ids.length
})

/** The default group goes last, and by an administrator; what others own goes with its owner. */
const isKept = ({ json }: Answer, key: string, index: number): boolean => {
  const item = JSON.stringify((json as Record<string, ReadonlyArray<unknown>>)[key]?.[index])
  if (key === "security_groups") return item.includes('"name":"default"') || item.includes('"name": "default"')
  if (key === "ports") return /"device_owner": ?"network:/.test(item)
  // Another project's external network is seen by everybody.
  return key === "networks" && /"router:external": ?true/.test(item)
}

const removeInterfaces = Effect.fnUntraced(function* <R>(ask: Ask<R>, id: string) {
  const ports = yield* ask(`GET network/ports?device_id=${id}`)
  for (const port_id of idsIn(ports, "ports")) {
    yield* ask(`PUT network/routers/${id}/remove_router_interface`, { json: { port_id } })
  }
})
