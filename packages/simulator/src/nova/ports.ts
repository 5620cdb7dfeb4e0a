import { disassociate } from "../neutron/release.ts"
import type { World } from "../World.ts"
import { stamp } from "./stamp.ts"
import { settleNova } from "./state.ts"

/** Takes a port off a server: one that was made for it goes, one that it was given is free again. */
export const releasePort = ({ neutron, nova }: World, portId: string, now: number): void => {
  const made = nova.interfaces[portId]?.made === true
  const port = neutron.ports[portId]
  delete nova.interfaces[portId]
  if (port === undefined) return
  if (made) {
    disassociate({ neutron, now: stamp(now) }, portId)
    delete neutron.ports[portId]
    return
  }
  port.device_id = ""
  port.device_owner = ""
  port["binding:host_id"] = ""
  port.status = "DOWN"
}

/** Servers that are gone by now, and their ports with them. */
export const releasePorts = (world: World, now: number): void => {
  settleNova(world.nova, now)
  for (const { id, server_id } of Object.values(world.nova.interfaces)) {
    if (world.nova.servers[server_id] === undefined) releasePort(world, id, now)
  }
}
