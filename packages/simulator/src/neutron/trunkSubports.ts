import type { Step } from "../Wire.ts"
import { refuse } from "./errors.ts"
import type { NeutronState, Trunk } from "./state.ts"

const parentOf = (neutron: NeutronState, portId: string): Trunk | undefined =>
  Object.values(neutron.trunks).find((_) => _.port_id === portId)

/** The trunk whose subport this is. */
export const carrierOf = (neutron: NeutronState, portId: string): Trunk | undefined =>
  Object.values(neutron.trunks).find((trunk) => trunk.sub_ports.some((_) => _.port_id === portId))

/** Whether a trunk already uses the port. */
export const isTrunked = (neutron: NeutronState, portId: string): boolean => parentOf(neutron, portId) !== undefined

/** The refusal to delete a port that a trunk uses. */
export const inTrunk = (neutron: NeutronState, portId: string): Step<never> | undefined => {
  const parent = parentOf(neutron, portId)
  if (parent !== undefined) {
    const message = `Port ${portId} is currently a parent port for trunk ${parent.id}.`
    return refuse(409, "PortInUseAsTrunkParent", message)
  }
  const carrier = carrierOf(neutron, portId)
  return carrier === undefined
    ? undefined
    : refuse(409, "PortInUseAsSubPort", `Port ${portId} is currently a subport for trunk ${carrier.id}.`)
}

/** The trunk details of a parent port. */
export const trunkDetails = (neutron: NeutronState, portId: string): object => {
  const trunk = parentOf(neutron, portId)
  if (trunk === undefined) return {}
  const sub_ports = trunk.sub_ports.map((_) => ({ ..._, mac_address: neutron.ports[_.port_id]?.mac_address }))
  return { trunk_details: { trunk_id: trunk.id, sub_ports } }
}
