import { releasePorts } from "../nova/ports.ts"
import type { World } from "../World.ts"
import { kinds } from "./state.ts"

/** Applies due deletions: load balancers with their VIP ports, their children, and servers' ports. */
export const settle = (world: World, now: number): void => {
  const { neutron, octavia } = world
  releasePorts(world, now)
  for (const balancer of Object.values(octavia.loadbalancers)) {
    if (balancer.deleted_from === null || now < balancer.deleted_from) continue
    delete neutron.ports[balancer.vip_port_id]
    delete octavia.loadbalancers[balancer.id]
  }
  for (const kind of kinds) {
    for (const child of Object.values(octavia[kind])) {
      const gone = child.deleted_from !== null && now >= child.deleted_from
      if (!gone && octavia.loadbalancers[child.loadbalancer_id] !== undefined) continue
      delete octavia[kind][child.id]
      if (kind !== "pools") continue
      for (const listener of Object.values(octavia.listeners)) {
        if (listener.fields["default_pool_id"] === child.id)
          listener.fields = { ...listener.fields, default_pool_id: null }
      }
    }
  }
}
