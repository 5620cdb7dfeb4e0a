import { Result } from "effect"
import { type JsonObject, objectAt, objectsAt, stringAt } from "../Json.ts"
import { type Routes, type Step } from "../Wire.ts"
import { allocate, allocateAsked } from "./addresses.ts"
import { badRequest, badRouterRequest, policyRefused, refuse } from "./errors.ts"
import {
  attachedSubnets,
  dropGateway,
  externalNetwork,
  gatewayInfo,
  gatewayPorts,
  promoteGateway,
  setGateway
} from "./gateways.ts"
import { overlap } from "./ip.ts"
import { addServicePort } from "./ports.ts"
import { type Request, wrapped } from "./request.ts"
import { action, changed } from "./resource.ts"
import { routers } from "./routers.ts"
import type { Port, Router } from "./state.ts"

/** The gateways of a body, with the same policy for their parts as `external_gateway_info`. */
const gatewaysOf = (request: Request, rule: string): Step<ReadonlyArray<JsonObject> | undefined> =>
  Result.gen(function* () {
    const body = yield* wrapped(request, "router")
    const given = body["external_gateways"]
    if (given === undefined) return undefined
    if (!Array.isArray(given))
      return yield* badRequest(`Invalid input for external_gateways. Reason: it is not a list.`)
    const gateways: Array<JsonObject> = []
    for (const one of given) {
      const checked = gatewayInfo(one)
      if ("wrong" in checked) return yield* badRequest(`Invalid input for external_gateways. Reason: ${checked.wrong}.`)
      const gateway = objectAt(checked.value)
      if (stringAt(gateway, "network_id") === undefined) {
        return yield* badRequest("Invalid input for external_gateways. Reason: a gateway needs a network_id.")
      }
      gateways.push(gateway)
    }
    const reserved = ["enable_snat", "external_fixed_ips"].find((part) => gateways.some((_) => part in _))
    if (reserved !== undefined && !request.scope.admin) {
      return yield* policyRefused(`${rule} and rule:${rule}:external_gateways:${reserved}`)
    }
    return gateways
  })

const addressesOf = (gateway: JsonObject): ReadonlyArray<string> =>
  objectsAt(gateway, "external_fixed_ips").flatMap((_) => stringAt(_, "ip_address") ?? [])

const networkOf = (gateway: JsonObject): string => stringAt(gateway, "network_id") ?? ""

/** An additional gateway: a new port on the same network, or on a network without overlap. */
const addExtra = (request: Request, router: Router, gateway: JsonObject): Step<void> =>
  Result.gen(function* () {
    const { neutron } = request
    const network = yield* externalNetwork(request, networkOf(gateway))
    const outside = Object.values(neutron.subnets).filter((_) => _.network_id === network.id)
    const others = gatewayPorts(neutron, router)
      .filter((_) => _.network_id !== network.id)
      .flatMap((port) => port.fixed_ips.flatMap((_) => neutron.subnets[_.subnet_id] ?? []))
    const clash = [...attachedSubnets(neutron, router.id), ...others].find((_) =>
      outside.some((other) => overlap(_.cidr, other.cidr))
    )
    if (clash !== undefined) {
      return yield* badRouterRequest(`Cidr ${clash.cidr} of subnet ${clash.id} overlaps with that of the gateway`)
    }
    const { external_fixed_ips: given } = gateway
    const fixed =
      Array.isArray(given) && given.length > 0
        ? yield* allocateAsked(neutron, network.id, given)
        : yield* allocate(neutron, network.id)
    const owner = { project: "", device_owner: "network:router_gateway", device_id: router.id }
    addServicePort(request, owner, network.id, fixed)
  })

const addAll = (request: Request, router: Router, gateways: ReadonlyArray<JsonObject>): Step<void> =>
  Result.gen(function* () {
    for (const gateway of gateways) {
      yield* router.gateway === null ? setGateway(request, router, gateway) : addExtra(request, router, gateway)
    }
  })

/** The gateway port of a body: by its network, and by its addresses when the router has several there. */
const matched = (request: Request, router: Router, gateway: JsonObject): Step<Port | undefined> => {
  const unmatched = (reason: string) =>
    refuse(
      404,
      "UnableToMatchGateways",
      `Unable to match a requested gateway port to existing gateway ports for router ${router.id}: ${reason}`
    )
  const ports = gatewayPorts(request.neutron, router).filter((_) => _.network_id === networkOf(gateway))
  const addresses = addressesOf(gateway)
  if (ports.length === 0) return Result.succeed(undefined)
  if (addresses.length === 0) {
    return ports.length === 1
      ? Result.succeed(ports[0])
      : unmatched(`multiple gateway ports are attached to the same network ${networkOf(gateway)}`)
  }
  const found = ports.find((port) => port.fixed_ips.some((_) => addresses.includes(_.ip_address)))
  return found === undefined
    ? unmatched(`could not match a gateway port attached to network ${networkOf(gateway)} by its fixed IPs`)
    : Result.succeed(found)
}

const drop = (request: Request, router: Router, port: Port): Step<void> => {
  if (router.gateway?.port_id === port.id) return dropGateway(request.neutron, router)
  delete request.neutron.ports[port.id]
  return Result.void
}

const removeAll = (request: Request, router: Router, ports: ReadonlyArray<Port>): Step<void> =>
  Result.gen(function* () {
    const first = router.gateway?.port_id
    for (const port of ports.toSorted((a) => (a.id === first ? 1 : -1))) yield* drop(request, router, port)
    promoteGateway(request.neutron, router)
  })

const remove = (request: Request, router: Router, gateways: ReadonlyArray<JsonObject>): Step<void> =>
  Result.gen(function* () {
    if (gateways.length > 0 && router.gateway === null) {
      const reason = "the router does not have any external gateways"
      return yield* refuse(
        404,
        "UnableToRemoveGateways",
        `Unable to remove gateways from router ${router.id}: ${reason}`
      )
    }
    const ports: Array<Port> = []
    for (const gateway of gateways) {
      yield* externalNetwork(request, networkOf(gateway))
      const port = yield* matched(request, router, gateway)
      if (port === undefined) {
        const reason = `could not match gateway port IDs for gateway info with networks ${networkOf(gateway)}`
        return yield* refuse(404, "UnableToMatchGateways", `Unable to match gateways of router ${router.id}: ${reason}`)
      }
      ports.push(port)
    }
    yield* removeAll(request, router, ports)
  })

/** The list replaces all gateways of the router; its first entry becomes `external_gateway_info`. */
const replace = (request: Request, router: Router, gateways: ReadonlyArray<JsonObject>): Step<void> =>
  Result.gen(function* () {
    const kept: Array<Port> = []
    const fresh: Array<JsonObject> = []
    for (const gateway of gateways) {
      yield* externalNetwork(request, networkOf(gateway))
      const ports = gatewayPorts(request.neutron, router).filter((_) => _.network_id === networkOf(gateway))
      const addresses = addressesOf(gateway)
      const port =
        addresses.length === 0
          ? yield* matched(request, router, gateway)
          : ports.find((_) => _.fixed_ips.some((ip) => addresses.includes(ip.ip_address)))
      if (port === undefined) fresh.push(gateway)
      else kept.push(port)
    }
    const gone = gatewayPorts(request.neutron, router).filter((_) => !kept.includes(_))
    yield* removeAll(request, router, gone)
    yield* addAll(request, router, fresh)
    const [first] = gateways
    const port = first === undefined ? undefined : kept.find((_) => _.network_id === networkOf(first))
    if (port === undefined || first === undefined) return
    router.gateway = { network_id: port.network_id, enable_snat: first["enable_snat"] !== false, port_id: port.id }
  })

const changing = (
  rule: string,
  change: (request: Request, router: Router, gateways: ReadonlyArray<JsonObject>) => Step<void>
) =>
  action(routers, rule, (request, router) =>
    Result.gen(function* () {
      const gateways = yield* gatewaysOf(request, rule)
      if (gateways === undefined) return { router: routers.show(request.neutron, router, request.scope) }
      yield* change(request, router, gateways)
      return { router: changed(routers, request, router) }
    })
  )

/** Several gateways of one router; a project member may use all three calls on the project's routers. */
export const multihomingRoutes: Routes = {
  "PUT /v2.0/routers/:id/add_external_gateways": changing("add_external_gateways", addAll),
  "PUT /v2.0/routers/:id/update_external_gateways": changing("update_external_gateways", replace),
  "PUT /v2.0/routers/:id/remove_external_gateways": changing("remove_external_gateways", remove)
}
