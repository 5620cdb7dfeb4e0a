import type { World } from "../World.ts"

/** Load balancers whose removal has been carried out by now, with the ports of their addresses. */
export const settle = ({ neutron, octavia }: World, now: number): void => {
  for (const balancer of Object.values(octavia.loadbalancers)) {
    if (balancer.deleted_from === null || now < balancer.deleted_from) continue
    delete neutron.ports[balancer.vip_port_id]
    delete octavia.loadbalancers[balancer.id]
  }
}
