import { objectAt, objectsAt, stringAt } from "../Json.ts"
import type { Port } from "../neutron/state.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import type { World } from "../World.ts"
import { type Request, computeRoute, lockedFor, memberRoute, ofServer, wrongState } from "./request.ts"
import { badRequest, notFound } from "./fault.ts"
import { callNeutron, isSuccess, relayError, type PeerResponse } from "./peers.ts"
import { releasePort } from "./ports.ts"
import type { Server } from "./state.ts"

/** A server's ports, read from Neutron. */
export const portsOf = ({ neutron, nova }: World, server: Server): ReadonlyArray<Port> =>
  Object.values(nova.interfaces)
    .filter((_) => _.server_id === server.id)
    .flatMap((_) => neutron.ports[_.id] ?? [])

/** A network to create a port on, or an existing port, with the requested addresses. */
export interface Plug {
  readonly network?: string | undefined
  /** The project's auto-allocated topology, which Neutron creates. */
  readonly automatic?: true
  readonly port?: string | undefined
  readonly address?: string | undefined
}

/** Binds a port to a server with Nova's service token: the port is up until the server is deleted. */
const bind = ({ world }: Request, server: Server, id: string, made: boolean): void => {
  const port = world.neutron.ports[id]
  if (port === undefined) return
  port.device_id = server.id
  port.device_owner = `compute:${server.availability_zone}`
  port["binding:host_id"] = "node1"
  port.status = "ACTIVE"
  world.nova.interfaces[id] = { id, server_id: server.id, made }
}

/** Creates the port with the caller's token, so that Neutron applies its quota and policy. */
export const plug = (request: Request, server: Server, groups: ReadonlyArray<string>, wanted: Plug): PeerResponse => {
  if (wanted.port !== undefined) {
    bind(request, server, wanted.port, false)
    return { status: 200, json: undefined, message: "" }
  }
  const topology =
    wanted.automatic === undefined
      ? undefined
      : callNeutron(request, "GET", `/v2.0/auto-allocated-topology/${request.scope.projectId}`)
  if (topology !== undefined && !isSuccess(topology)) return topology
  const response = callNeutron(request, "POST", "/v2.0/ports", {
    port: {
      network_id: wanted.network ?? stringAt(objectAt(topology?.json, "auto_allocated_topology"), "id"),
      device_id: server.id,
      admin_state_up: true,
      ...(groups.length === 0 ? {} : { security_groups: groups }),
      ...(wanted.address === undefined ? {} : { fixed_ips: [{ ip_address: wanted.address }] })
    }
  })
  if (isSuccess(response)) bind(request, server, stringAt(objectAt(response.json, "port"), "id") ?? "", true)
  return response
}

/** The port that a body names, if the caller may see it and it is free. */
export const freePort = (request: Request, id: string): Port | Answer => {
  const response = callNeutron(request, "GET", `/v2.0/ports/${id}`)
  const port = isSuccess(response) ? request.world.neutron.ports[id] : undefined
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

const list = ofServer((request, server) =>
  json(200, { interfaceAttachments: portsOf(request.world, server).map(show) })
)

const pluggable = ["active", "paused", "stopped"]

/** The project's only network, when the body names none. */
const ownNetworks = (request: Request): ReadonlyArray<string> => {
  const response = callNeutron(request, "GET", `/v2.0/networks?tenant_id=${request.scope.projectId}`)
  return objectsAt(response.json, "networks").flatMap((_) => stringAt(_, "id") ?? [])
}

const wantedPlug = (request: Request): Plug | Answer => {
  const given = objectAt(request.json, "interfaceAttachment")
  const [port, network] = [stringAt(given, "port_id"), stringAt(given, "net_id")]
  if (port !== undefined && network !== undefined) {
    return badRequest("Must not input both network_id and port_id")
  }
  if (port !== undefined) {
    const found = freePort(request, port)
    return "status" in found && "headers" in found ? found : { port }
  }
  const address = stringAt(objectsAt(given, "fixed_ips")[0] ?? {}, "ip_address")
  if (network !== undefined) return { network, address }
  const [first, second] = ownNetworks(request)
  if (first === undefined) return badRequest("No network to attach")
  return second === undefined
    ? { network: first, address }
    : badRequest("Multiple possible networks found, use a Network ID to be more specific.")
}

const add = ofServer((request, server) => {
  const refused = lockedFor(request, server) ?? wrongState("attach_interface", server, pluggable)
  if (refused !== undefined) return refused
  const wanted = wantedPlug(request)
  if ("headers" in wanted) return wanted
  const before = new Set(portsOf(request.world, server).map((_) => _.id))
  const response = plug(request, server, [], wanted)
  if (!isSuccess(response))
    return response.status === 404 ? relayError(response) : relayError(response, { 409: 400, 403: 400 })
  const port = portsOf(request.world, server).find((_) => !before.has(_.id))
  return json(200, { interfaceAttachment: port === undefined ? {} : show(port) })
})

const ofPort = (handler: (request: Request, server: Server, port: Port) => Answer) =>
  ofServer((request, server) => {
    const id = request.params["port"] ?? ""
    const port = portsOf(request.world, server).find((_) => _.id === id)
    return port === undefined
      ? notFound(`No instances found for any event: port ${id}`)
      : handler(request, server, port)
  })

const remove = ofPort((request, server, port) => {
  const refused = lockedFor(request, server) ?? wrongState("detach_interface", server, pluggable)
  if (refused !== undefined) return refused
  releasePort(request.world, port.id, request.now)
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
