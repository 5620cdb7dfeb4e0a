import { objectAt, stringAt } from "../Json.ts"
import type { Port } from "../neutron/state.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import type { World } from "../World.ts"
import { type Asked, computeRoute, lockedFor, memberRoute, ofServer, wrongState } from "./asked.ts"
import { badRequest, notFound } from "./fault.ts"
import { askNeutron, isGood, passedOn, type Told } from "./peers.ts"
import { releasePort } from "./ports.ts"
import type { Server } from "./state.ts"

/** A server's ports, as Neutron has them now. */
export const portsOf = ({ neutron, nova }: World, server: Server): ReadonlyArray<Port> =>
  Object.values(nova.interfaces)
    .filter((_) => _.server_id === server.id)
    .flatMap((_) => neutron.ports[_.id] ?? [])

/** A network to make a port on, or a port that is there, with what is wanted of it. */
export interface Plug {
  readonly network?: string | undefined
  /** The network that Neutron makes for the project, with a router to the outside. */
  readonly automatic?: true
  readonly port?: string | undefined
  readonly address?: string | undefined
}

/** Binds a port to a server, with the rights of a service: it is up, and the server's until that goes. */
const bind = ({ world }: Asked, server: Server, id: string, made: boolean): void => {
  const port = world.neutron.ports[id]
  if (port === undefined) return
  port.device_id = server.id
  port.device_owner = `compute:${server.availability_zone}`
  port["binding:host_id"] = "node1"
  port.status = "ACTIVE"
  world.nova.interfaces[id] = { id, server_id: server.id, made }
}

/** Makes the port with the caller's token, so that Neutron's quota and policy decide. */
export const plug = (asked: Asked, server: Server, groups: ReadonlyArray<string>, wanted: Plug): Told => {
  if (wanted.port !== undefined) {
    bind(asked, server, wanted.port, false)
    return { status: 200, json: undefined, message: "" }
  }
  const topology =
    wanted.automatic === undefined
      ? undefined
      : askNeutron(asked, "GET", `/v2.0/auto-allocated-topology/${asked.scope.projectId}`)
  if (topology !== undefined && !isGood(topology)) return topology
  const told = askNeutron(asked, "POST", "/v2.0/ports", {
    port: {
      network_id: wanted.network ?? stringAt(objectAt(topology?.json, "auto_allocated_topology"), "id"),
      device_id: server.id,
      admin_state_up: true,
      ...(groups.length === 0 ? {} : { security_groups: groups }),
      ...(wanted.address === undefined ? {} : { fixed_ips: [{ ip_address: wanted.address }] })
    }
  })
  if (isGood(told)) bind(asked, server, stringAt(objectAt(told.json, "port"), "id") ?? "", true)
  return told
}

/** The port that a body names, if the caller may see it and nobody has it. */
export const freePort = (asked: Asked, id: string): Port | Answer => {
  const told = askNeutron(asked, "GET", `/v2.0/ports/${id}`)
  const port = isGood(told) ? asked.world.neutron.ports[id] : undefined
  if (port === undefined) return notFound(`Port id ${id} could not be found.`)
  return port.device_id === "" ? port : badRequest(`Port ${id} is still in use.`)
}

const show = (port: Port) => ({
  port_id: port.id,
  net_id: port.network_id,
  mac_addr: port.mac_address,
  port_state: port.status,
  fixed_ips: port.fixed_ips
})

const list = ofServer((asked, server) => json(200, { interfaceAttachments: portsOf(asked.world, server).map(show) }))

const pluggable = ["active", "paused", "stopped"]

/** The one network that there is, when the body names none. */
const ownNetworks = (asked: Asked): ReadonlyArray<string> => {
  const told = askNeutron(asked, "GET", `/v2.0/networks?tenant_id=${asked.scope.projectId}`)
  const found = objectAt(told.json)["networks"]
  return Array.isArray(found) ? found.flatMap((_) => stringAt(objectAt(_), "id") ?? []) : []
}

const wantedPlug = (asked: Asked): Plug | Answer => {
  const given = objectAt(asked.json, "interfaceAttachment")
  const [port, network] = [stringAt(given, "port_id"), stringAt(given, "net_id")]
  if (port !== undefined && network !== undefined) {
    return badRequest("Must not input both network_id and port_id")
  }
  if (port !== undefined) {
    const found = freePort(asked, port)
    return "status" in found && "headers" in found ? found : { port }
  }
  const { fixed_ips: fixed } = given
  const address = Array.isArray(fixed) ? stringAt(objectAt(fixed[0]), "ip_address") : undefined
  if (network !== undefined) return { network, address }
  const [first, second] = ownNetworks(asked)
  if (first === undefined) return badRequest("No network to attach")
  return second === undefined
    ? { network: first, address }
    : badRequest("Multiple possible networks found, use a Network ID to be more specific.")
}

const add = ofServer((asked, server) => {
  const refused = lockedFor(asked, server) ?? wrongState("attach_interface", server, pluggable)
  if (refused !== undefined) return refused
  const wanted = wantedPlug(asked)
  if ("headers" in wanted) return wanted
  const before = new Set(portsOf(asked.world, server).map((_) => _.id))
  const told = plug(asked, server, [], wanted)
  if (!isGood(told)) return told.status === 404 ? passedOn(told) : passedOn(told, { 409: 400, 403: 400 })
  const port = portsOf(asked.world, server).find((_) => !before.has(_.id))
  return json(200, { interfaceAttachment: port === undefined ? {} : show(port) })
})

const ofPort = (handler: (asked: Asked, server: Server, port: Port) => Answer) =>
  ofServer((asked, server) => {
    const id = asked.params["port"] ?? ""
    const port = portsOf(asked.world, server).find((_) => _.id === id)
    return port === undefined ? notFound(`No instances found for any event: port ${id}`) : handler(asked, server, port)
  })

const remove = ofPort((asked, server, port) => {
  const refused = lockedFor(asked, server) ?? wrongState("detach_interface", server, pluggable)
  if (refused !== undefined) return refused
  releasePort(asked.world, port.id, asked.now)
  return empty(202)
})

export const interfaceRoutes: Routes = {
  "GET /v2.1/servers/:id/os-interface": computeRoute(list),
  "POST /v2.1/servers/:id/os-interface": memberRoute("os-attach-interfaces:create", add),
  "GET /v2.1/servers/:id/os-interface/:port": computeRoute(
    ofPort((_, __, port) => json(200, { interfaceAttachment: show(port) }))
  ),
  "DELETE /v2.1/servers/:id/os-interface/:port": memberRoute("os-attach-interfaces:delete", remove)
}
