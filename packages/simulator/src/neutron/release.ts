import type { NeutronState } from "./state.ts"

/** Floating IPs of a port that goes, or loses the address, are let go. `now` is the time as objects carry it. */
export const disassociate = (
  { neutron, now }: { readonly neutron: NeutronState; readonly now: string },
  portId: string
): void => {
  for (const floating of Object.values(neutron.floatingips)) {
    if (floating.port_id !== portId) continue
    floating.port_id = null
    floating.router_id = null
    floating.fixed_ip_address = null
    floating.updated_at = now
    floating.revision_number += 1
  }
}
