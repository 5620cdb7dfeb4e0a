import { Result } from "effect"
import { assign, booleanAt, has, type JsonObject, objectAt, objectsAt, stringAt } from "../Json.ts"
import { anything, flag, list, named, owned, text } from "./attributes.ts"
import { policyRefused, refuse } from "./errors.ts"
import { dropGateway, gatewayInfo, gatewayPorts, setGateway, showGateway, showGateways } from "./gateways.ts"
import { common, type Kind } from "./resource.ts"
import type { NeutronState, Router } from "./state.ts"
import { checkStaticRoutes, staticRoutes } from "./staticRoutes.ts"

const interfacesOf = (neutron: NeutronState, { id }: Router) =>
  Object.values(neutron.ports).filter((_) => _.device_id === id && _.device_owner !== "network:router_gateway")

/** Parts of the gateway that only administrators may set, to any value. */
const reservedParts = ["enable_snat", "external_fixed_ips"]

/** The combined policy rule of the parts that are set. */
const partsOf = (info: JsonObject, rule: string, reserved: string): string => {
  const part = `rule:${rule}:${reserved}`
  return has(info, "network_id") ? `(rule:${rule}:network_id and ${part})` : part
}

export const routers: Kind<Router> = {
  resource: "router",
  collection: "routers",
  title: "Router",
  updates: true,
  attributes: {
    ...owned,
    ...named,
    admin_state_up: { check: flag, initial: true },
    status: { check: text, post: false, put: false },
    external_gateway_info: { check: gatewayInfo, filter: false },
    external_gateways: { check: list, post: false, put: false, filter: false },
    routes: { check: staticRoutes, post: false, filter: false },
    distributed: { check: flag, admin: true },
    ha: { check: flag, admin: true },
    availability_zone_hints: { check: list, filter: false },
    flavor_id: { check: anything, put: false }
  },
  things: (neutron) => neutron.routers,
  show: (neutron, { distributed, gateway: _, ha, ...router }, scope) => ({
    ...common(router),
    status: "ACTIVE",
    external_gateway_info: showGateway(neutron, { ...router, distributed, ha, gateway: _ }),
    external_gateways: showGateways(neutron, { ...router, distributed, ha, gateway: _ }),
    availability_zone_hints: [],
    availability_zones: ["nova"],
    flavor_id: null,
    ...(scope.admin ? { distributed, ha } : {})
  }),
  permit: (_, method, body) => {
    const info = objectAt(body, "external_gateway_info")
    const reserved = reservedParts.find((part) => has(info, part))
    const rule = `${method}_router:external_gateway_info`
    return reserved === undefined
      ? Result.void
      : policyRefused(`${method}_router and (rule:${rule} and ${partsOf(info, rule, reserved)})`)
  },
  create: (request, thing, given) => {
    const router: Router = {
      ...thing,
      admin_state_up: booleanAt(given, "admin_state_up") ?? true,
      routes: [],
      distributed: booleanAt(given, "distributed") ?? false,
      ha: booleanAt(given, "ha") ?? false,
      gateway: null
    }
    return Result.map(setGateway(request, router, given["external_gateway_info"]), () => router)
  },
  update: (request, router, given) =>
    Result.gen(function* () {
      if (has(given, "external_gateway_info")) yield* setGateway(request, router, given["external_gateway_info"])
      if (has(given, "routes")) {
        router.routes = yield* checkStaticRoutes(request.neutron, router, objectsAt(given, "routes"))
      }
      assign(router, given, {
        name: stringAt,
        description: stringAt,
        admin_state_up: booleanAt,
        distributed: booleanAt,
        ha: booleanAt
      })
    }),
  remove: ({ neutron }, router) => {
    const interfaces = interfacesOf(neutron, router)
    if (interfaces.length === 0) {
      return Result.map(dropGateway(neutron, router), () => {
        for (const port of gatewayPorts(neutron, router)) delete neutron.ports[port.id]
      })
    }
    const reason = `has ports still attached: ${interfaces.map((_) => _.id).join(", ")}`
    return refuse(409, "RouterInUse", `Router ${router.id} ${reason}`)
  }
}
