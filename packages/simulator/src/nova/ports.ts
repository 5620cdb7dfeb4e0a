import { disassociate } from "../neutron/disassociate.ts"
import type { World } from "../World.ts"
import { toSecondsUtc } from "../times.ts"
import { settleNova } from "./state.ts"

/** Detaches a port from a server: deletes a port that Nova created, unbinds any other. */
export const releasePort = ({ neutron, nova }: World, portId: string, now: number): void => {
  const made = nova.interfaces[portId]?.made === true
  const port = neutron.ports[portId]
  delete nova.interfaces[portId]
  if (port === undefined) return
  if (made) {
    disassociate({ neutron, now: toSecondsUtc(now) }, portId)
    delete neutron.ports[portId]
    return
  }
  port.device_id = ""
  port.device_owner = ""
  port["binding:host_id"] = ""
  port.status = "DOWN"
}

/** Releases the ports of deleted servers. */
export const releasePorts = (world: World, now: number): void => {
  settleNova(world.nova, now)
  for (const { id, server_id } of Object.values(world.nova.interfaces)) {
    if (world.nova.servers[server_id] === undefined) releasePort(world, id, now)
  }
}
