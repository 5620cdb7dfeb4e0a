import { Result } from "effect"
import { type JsonObject, objectsAt, stringAt } from "../Json.ts"
import { repr } from "../python.ts"
import type { Step } from "../Wire.ts"
import type { Check } from "./attributes.ts"
import { refuse } from "./errors.ts"
import { hostRoutes } from "./hostRoutes.ts"
import { contains } from "./ip.ts"
import type { NeutronState, Router, Subnet } from "./state.ts"

/** `max_routes`. */
const most = 30

export type StaticRoutes = ReadonlyArray<JsonObject>

export const staticRoutes: Check = (value) => hostRoutes(value ?? [])

const key = (route: JsonObject): string => `${stringAt(route, "destination")} ${stringAt(route, "nexthop")}`

/** Neutron shows routes in the order of their texts. */
const inOrder = (routes: StaticRoutes): StaticRoutes => routes.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))

/** A router has at most so many routes, and each next hop is a neighbour of it: on one of its subnets, and not itself. */
export const checkStaticRoutes = (neutron: NeutronState, router: Router, routes: StaticRoutes): Step<StaticRoutes> => {
  if (routes.length > most) {
    const message = `Unable to complete operation for ${router.id}. The number of routes exceeds the maximum ${most}.`
    return refuse(400, "RoutesExhausted", message)
  }
  const addresses = Object.values(neutron.ports)
    .filter((_) => _.device_id === router.id)
    .flatMap((_) => _.fixed_ips)
  const ranges = addresses.flatMap((_) => neutron.subnets[_.subnet_id]?.cidr ?? [])
  const invalid = (why: string) => refuse(400, "InvalidRoutes", `Invalid format for routes: ${repr(routes)}, ${why}`)
  for (const route of routes) {
    const nexthop = stringAt(route, "nexthop") ?? ""
    if (!ranges.some((_) => contains(_, nexthop))) return invalid("the nexthop is not connected with router")
    if (addresses.some((_) => _.ip_address === nexthop)) return invalid("the nexthop is used by router")
  }
  return Result.succeed(inOrder(routes))
}

/** The refusal to take a subnet from a router whose routes lead through it. */
export const neededByRoute = ({ id, routes }: Router, subnet: Subnet): Step<void> =>
  objectsAt(routes).some((_) => contains(subnet.cidr, stringAt(_, "nexthop") ?? ""))
    ? refuse(
        409,
        "RouterInterfaceInUseByRoute",
        `Router interface for subnet ${subnet.id} on router ${id} cannot be deleted, as it is required by one or more ` +
          "routes."
      )
    : Result.void
