import type { NeutronState } from "./state.ts"

/**
 * Disassociates the floating IPs of a port that is deleted or loses the address. `now` is a time in the objects'
 * format.
 */
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
