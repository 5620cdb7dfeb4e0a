import { objectAt, stringAt } from "../Json.ts"
import { empty } from "../Wire.ts"
import { type Asked, lockedFor } from "./asked.ts"
import { badRequest, fault, invalidField, notFound } from "./fault.ts"
import { plug, portsOf } from "./interfaces.ts"
import { askNeutron, isGood, passedOn, type Told } from "./peers.ts"
import { releasePort } from "./ports.ts"
import { groupNamed } from "./securitygroups.ts"
import type { Server } from "./state.ts"
import type { Action } from "./tasks.ts"

const setGroups = (asked: Asked, server: Server, change: (groups: ReadonlyArray<string>) => ReadonlyArray<string>) =>
  portsOf(asked.world, server).map((port) =>
    askNeutron(asked, "PUT", `/v2.0/ports/${port.id}`, { port: { security_groups: change(port.security_groups) } })
  )

const listed = (server: Server, change: (names: ReadonlyArray<string>) => ReadonlyArray<string>): void => {
  server.security_groups = change(server.security_groups)
}

const addSecurityGroup: Action = (asked, server, value) => {
  const name = stringAt(objectAt(value), "name")
  if (name === undefined || name.trim() === "") return badRequest("Security group name cannot be empty")
  const id = groupNamed(asked, name)
  if (typeof id !== "string") return id
  const refused = lockedFor(asked, server)
  if (refused !== undefined) return refused
  const failed = setGroups(asked, server, (_) => [...new Set([..._, id])]).find((_) => !isGood(_))
  if (failed !== undefined) return passedOn(failed)
  listed(server, (_) => [...new Set([..._, name])])
  return empty(202)
}

const removeSecurityGroup: Action = (asked, server, value) => {
  const name = stringAt(objectAt(value), "name")
  if (name === undefined || name.trim() === "") return badRequest("Security group name cannot be empty")
  const id = groupNamed(asked, name)
  if (typeof id !== "string") return id
  const held = portsOf(asked.world, server).some((_) => _.security_groups.includes(id))
  if (!held) {
    return notFound(`Security group ${id} not associated with the instance ${server.id}`)
  }
  const failed = setGroups(asked, server, (_) => _.filter((one) => one !== id)).find((_) => !isGood(_))
  if (failed !== undefined) return passedOn(failed)
  listed(server, (_) => _.filter((one) => one !== name))
  return empty(202)
}

const floatingFor = (asked: Asked, address: string): Readonly<Record<string, unknown>> | undefined => {
  const told = askNeutron(asked, "GET", `/v2.0/floatingips?floating_ip_address=${encodeURIComponent(address)}`)
  const found = objectAt(told.json)["floatingips"]
  return Array.isArray(found) && found[0] !== undefined ? objectAt(found[0]) : undefined
}

const associate = (asked: Asked, id: string, port: string | null, address?: string): Told =>
  askNeutron(asked, "PUT", `/v2.0/floatingips/${id}`, {
    floatingip: { port_id: port, ...(address === undefined ? {} : { fixed_ip_address: address }) }
  })

const addFloatingIp: Action = (asked, server, value) => {
  const given = objectAt(value)
  const [address, wanted] = [stringAt(given, "address"), stringAt(given, "fixed_address")]
  if (address === undefined) return invalidField("addFloatingIp", value, "'address' is a required property")
  const inside = portsOf(asked.world, server).flatMap((port) =>
    port.fixed_ips.map(({ ip_address }) => ({ port: port.id, ip_address }))
  )
  if (inside.length === 0) return badRequest("No fixed IPs associated to instance")
  const fixed = inside.find((_) => (wanted === undefined ? !_.ip_address.includes(":") : _.ip_address === wanted))
  if (fixed === undefined) return badRequest("Specified fixed address not assigned to instance")
  const floating = floatingFor(asked, address)
  if (floating === undefined) return notFound("floating IP not found")
  const told = associate(asked, stringAt(floating, "id") ?? "", fixed.port, fixed.ip_address)
  return isGood(told)
    ? empty(202)
    : badRequest(
        `Unable to associate floating IP ${address} to fixed IP ${fixed.ip_address} for instance ${server.id}. ` +
          `Error: ${told.message}`
      )
}

const removeFloatingIp: Action = (asked, server, value) => {
  const address = stringAt(objectAt(value), "address")
  if (address === undefined) return invalidField("removeFloatingIp", value, "'address' is a required property")
  const floating = floatingFor(asked, address)
  if (floating === undefined) return notFound("floating IP not found")
  const port = stringAt(floating, "port_id")
  if (port === undefined || !portsOf(asked.world, server).some((_) => _.id === port)) {
    return fault(409, `Floating IP ${address} is not associated with instance ${server.id}.`)
  }
  const told = associate(asked, stringAt(floating, "id") ?? "", null)
  return isGood(told) ? empty(202) : passedOn(told)
}

const addFixedIp: Action = (asked, server, value) => {
  const network = stringAt(objectAt(value), "networkId")
  if (network === undefined) return invalidField("addFixedIp", value, "'networkId' is a required property")
  const refused = lockedFor(asked, server)
  if (refused !== undefined) return refused
  const told = plug(asked, server, [], { network })
  return isGood(told) ? empty(202) : passedOn(told, { 409: 400 })
}

const removeFixedIp: Action = (asked, server, value) => {
  const address = stringAt(objectAt(value), "address")
  const port = portsOf(asked.world, server).find((_) => _.fixed_ips.some((ip) => ip.ip_address === address))
  if (port === undefined) return badRequest(`Fixed IP ${address} not found on instance ${server.id}.`)
  const refused = lockedFor(asked, server)
  if (refused !== undefined) return refused
  releasePort(asked.world, port.id, asked.now)
  return empty(202)
}

/** What Nova does to a server's ports, by Neutron's leave. */
export const networkActions: Readonly<Record<string, Action>> = {
  addSecurityGroup,
  removeSecurityGroup,
  addFloatingIp,
  removeFloatingIp,
  addFixedIp,
  removeFixedIp
}
