import { randomUUID } from "node:crypto"
import { Result } from "effect"
import { assign, entry, type JsonObject, numberAt, stringAt } from "../Json.ts"
import { empty, json, type Routes, type Step } from "../Wire.ts"
import { address, type Attributes, checkBody, integer, text, uuid } from "./attributes.ts"
import { refuse } from "./errors.ts"
import { floatingips } from "./floatingIps.ts"
import { ports } from "./ports.ts"
import { call, mayWrite, newThing, param, type Request, wrapped } from "./request.ts"
import { readable, referred, writable } from "./resource.ts"
import type { FloatingIp, NeutronState, PortForwarding } from "./state.ts"

const attributes: Attributes = {
  internal_ip_address: { check: address, required: true },
  internal_port_id: { check: uuid, required: true },
  protocol: { check: text, required: true },
  external_port: { check: integer, required: true },
  internal_port: { check: integer, required: true },
  description: { check: text, initial: "" }
}

const bad = (why: string): Step<never> => refuse(400, "BadRequest", `Bad port_forwarding request: ${why}.`)

const show = (_: PortForwarding) => ({
  id: _.id,
  external_port: _.external_port,
  external_port_range: `${_.external_port}:${_.external_port}`,
  protocol: _.protocol,
  internal_port_id: _.internal_port_id,
  internal_ip_address: _.internal_ip_address,
  internal_port: _.internal_port,
  internal_port_range: `${_.internal_port}:${_.internal_port}`,
  description: _.description
})

const forwardingsOf = (neutron: NeutronState, floatingId: string): ReadonlyArray<PortForwarding> =>
  Object.values(neutron.port_forwardings).filter((_) => _.floatingip_id === floatingId)

/** Another project's port does not exist; the address must be one of the port's. */
const checked = (request: Request, one: PortForwarding): Step<PortForwarding> =>
  Result.gen(function* () {
    const port = yield* referred(ports, request, one.internal_port_id)
    if (port.fixed_ips.every((_) => _.ip_address !== one.internal_ip_address)) {
      const addresses = port.fixed_ips.map((_) => `{'subnet_id': '${_.subnet_id}', 'ip_address': '${_.ip_address}'}`)
      return yield* bad(
        `Requested internal IP address ${one.internal_ip_address} is not suitable for internal neutron port ${port.id}, ` +
          `as its fixed_ips are [${addresses.join(", ")}]`
      )
    }
    return one
  })

/** Upstream checks these before it checks the floating IP's owner. */
const uncollided = ({ neutron }: Request, one: PortForwarding): Step<PortForwarding> => {
  const others = forwardingsOf(neutron, one.floatingip_id).filter((_) => _.id !== one.id && _.protocol === one.protocol)
  const clash = (side: "internal" | "external", other: PortForwarding): Step<never> => {
    const [theirs, own] = [other[`${side}_port`], one[`${side}_port`]]
    return bad(
      `There is a port collision with the ${side}_port_range. The following ranges collides: ` +
        `${theirs}:${theirs} and ${own}:${own}`
    )
  }
  const inside = others.find(
    (_) => _.internal_port_id === one.internal_port_id && _.internal_port === one.internal_port
  )
  if (inside !== undefined) return clash("internal", inside)
  const outside = others.find((_) => _.external_port === one.external_port)
  return outside === undefined ? Result.succeed(one) : clash("external", outside)
}

const merged = (one: PortForwarding, given: JsonObject): PortForwarding => {
  const next = { ...one }
  assign(next, given, {
    protocol: stringAt,
    external_port: numberAt,
    internal_port: numberAt,
    internal_port_id: stringAt,
    internal_ip_address: stringAt,
    description: stringAt
  })
  return next
}

const found = ({ neutron }: Request, floating: FloatingIp, id: string): Step<PortForwarding> => {
  const one = entry(neutron.port_forwardings, id)
  return one?.floatingip_id === floating.id
    ? Result.succeed(one)
    : refuse(404, "PortForwardingNotFound", `Port Forwarding ${id} could not be found.`)
}

const url = "/v2.0/floatingips/:id/port_forwardings"

export const portForwardingRoutes: Routes = {
  [`GET ${url}`]: call((request) =>
    Result.map(readable(floatingips, request, param(request, "id")), (floating) =>
      json(200, { port_forwardings: forwardingsOf(request.neutron, floating.id).map(show) })
    )
  ),
  [`POST ${url}`]: call((request) =>
    Result.gen(function* () {
      const given = yield* checkBody(attributes, yield* wrapped(request, "port_forwarding"), "POST")
      const blank = {
        ...newThing(request.now, request.scope.projectId, given),
        id: randomUUID(),
        floatingip_id: param(request, "id"),
        protocol: "",
        external_port: 0,
        internal_port: 0,
        internal_port_id: "",
        internal_ip_address: ""
      }
      const asked = yield* uncollided(request, merged(blank, given))
      yield* writable(floatingips, request, param(request, "id"))
      yield* mayWrite(request, "create_floatingip_port_forwarding")
      const one = yield* checked(request, asked)
      request.neutron.port_forwardings[one.id] = one
      return json(201, { port_forwarding: show(one) })
    })
  ),
  [`GET ${url}/:forwarding`]: call((request) =>
    Result.gen(function* () {
      const floating = yield* readable(floatingips, request, param(request, "id"))
      return json(200, { port_forwarding: show(yield* found(request, floating, param(request, "forwarding"))) })
    })
  ),
  [`PUT ${url}/:forwarding`]: call((request) =>
    Result.gen(function* () {
      const given = yield* checkBody(attributes, yield* wrapped(request, "port_forwarding"), "PUT")
      const floating = yield* writable(floatingips, request, param(request, "id"))
      yield* mayWrite(request, "update_floatingip_port_forwarding")
      const old = yield* found(request, floating, param(request, "forwarding"))
      const one = yield* checked(request, yield* uncollided(request, merged(old, given)))
      request.neutron.port_forwardings[one.id] = one
      return json(200, { port_forwarding: show(one) })
    })
  ),
  [`DELETE ${url}/:forwarding`]: call((request) =>
    Result.gen(function* () {
      const floating = yield* writable(floatingips, request, param(request, "id"))
      yield* mayWrite(request, "delete_floatingip_port_forwarding")
      const one = yield* found(request, floating, param(request, "forwarding"))
      delete request.neutron.port_forwardings[one.id]
      return empty(204)
    })
  )
}
