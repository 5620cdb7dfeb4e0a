import { type JsonObject, objectAt, objectsAt, stringAt } from "../Json.ts"
import { type Answer, empty } from "../Wire.ts"
import { type Request, lockedFor } from "./request.ts"
import { badRequest, fault, notFound } from "./fault.ts"
import { plug, portsOf } from "./interfaces.ts"
import { callNeutron, isSuccess, relayError, type PeerResponse } from "./peers.ts"
import { releasePort } from "./ports.ts"
import { groupNamed } from "./securityGroups.ts"
import type { Server } from "./state.ts"
import type { Action } from "./tasks.ts"

const setGroups = (
  request: Request,
  server: Server,
  change: (groups: ReadonlyArray<string>) => ReadonlyArray<string>
) =>
  portsOf(request.world, server).map((port) =>
    callNeutron(request, "PUT", `/v2.0/ports/${port.id}`, { port: { security_groups: change(port.security_groups) } })
  )

const changingGroups =
  (
    change: (groups: ReadonlyArray<string>, group: string) => ReadonlyArray<string>,
    refusal: (request: Request, server: Server, id: string) => Answer | undefined
  ): Action =>
  (request, server, value) => {
    const name = stringAt(objectAt(value), "name")
    if (name === undefined || name.trim() === "")
      return badRequest(name === undefined ? "Security group not specified" : "Security group name cannot be empty")
    const id = groupNamed(request, name)
    if (typeof id !== "string") return id
    const refused = refusal(request, server, id)
    if (refused !== undefined) return refused
    const failed = setGroups(request, server, (_) => change(_, id)).find((_) => !isSuccess(_))
    if (failed !== undefined) return relayError(failed)
    server.security_groups = change(server.security_groups, name)
    return empty(202)
  }

const addSecurityGroup = changingGroups((groups, group) => [...new Set([...groups, group])], lockedFor)

const removeSecurityGroup = changingGroups(
  (groups, group) => groups.filter((_) => _ !== group),
  (request, server, id) =>
    portsOf(request.world, server).some((_) => _.security_groups.includes(id))
      ? undefined
      : notFound(`Security group ${id} not associated with the instance ${server.id}`)
)

const floatingFor = (request: Request, address = ""): JsonObject | undefined => {
  const response = callNeutron(request, "GET", `/v2.0/floatingips?floating_ip_address=${encodeURIComponent(address)}`)
  return objectsAt(response.json, "floatingips")[0]
}

const associate = (request: Request, id: string, port: string | null, address?: string): PeerResponse =>
  callNeutron(request, "PUT", `/v2.0/floatingips/${id}`, {
    floatingip: { port_id: port, ...(address === undefined ? {} : { fixed_ip_address: address }) }
  })

const addFloatingIp: Action = (request, server, value) => {
  const given = objectAt(value)
  const [address, wanted] = [stringAt(given, "address"), stringAt(given, "fixed_address")]
  const inside = portsOf(request.world, server).flatMap((port) =>
    port.fixed_ips.map(({ ip_address }) => ({ port: port.id, ip_address }))
  )
  if (inside.length === 0) return badRequest("No fixed IPs associated to instance")
  const fixed = inside.find((_) => (wanted === undefined ? !_.ip_address.includes(":") : _.ip_address === wanted))
  if (fixed === undefined) return badRequest("Specified fixed address not assigned to instance")
  const floating = floatingFor(request, address)
  if (floating === undefined) return notFound("floating IP not found")
  const response = associate(request, stringAt(floating, "id") ?? "", fixed.port, fixed.ip_address)
  return isSuccess(response)
    ? empty(202)
    : badRequest(
        `Unable to associate floating IP ${address} to fixed IP ${fixed.ip_address} for instance ${server.id}. ` +
          `Error: ${response.message}`
      )
}

const removeFloatingIp: Action = (request, server, value) => {
  const address = stringAt(objectAt(value), "address")
  const floating = floatingFor(request, address)
  if (floating === undefined) return notFound("floating IP not found")
  const port = stringAt(floating, "port_id")
  if (port === undefined || !portsOf(request.world, server).some((_) => _.id === port)) {
    return fault(409, `Floating IP ${address} is not associated with instance ${server.id}.`)
  }
  const response = associate(request, stringAt(floating, "id") ?? "", null)
  return isSuccess(response) ? empty(202) : relayError(response)
}

const addFixedIp: Action = (request, server, value) => {
  const network = stringAt(objectAt(value), "networkId")
  const refused = lockedFor(request, server)
  if (refused !== undefined) return refused
  const response = plug(request, server, [], { network })
  return isSuccess(response) ? empty(202) : relayError(response, { 409: 400 })
}

const removeFixedIp: Action = (request, server, value) => {
  const address = stringAt(objectAt(value), "address")
  const port = portsOf(request.world, server).find((_) => _.fixed_ips.some((ip) => ip.ip_address === address))
  if (port === undefined) return badRequest(`Fixed IP ${address} not found on instance ${server.id}.`)
  const refused = lockedFor(request, server)
  if (refused !== undefined) return refused
  releasePort(request.world, port.id, request.now)
  return empty(202)
}

/** Actions on a server's ports; Neutron's policy decides. */
export const networkActions: Readonly<Record<string, Action>> = {
  addSecurityGroup,
  removeSecurityGroup,
  addFloatingIp,
  removeFloatingIp,
  addFixedIp,
  removeFixedIp
}
