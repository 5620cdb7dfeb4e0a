import { Result } from "effect"
import { forbid, type Ruling } from "./answers.ts"
import { type DesignateState, isBelow, type Recordset, recordsetsOf, sameName, type Zone } from "./state.ts"

/** The nearest enclosing zone of a name, of any project. */
const parentOf = ({ zones }: DesignateState, name: string): Zone | undefined =>
  Object.values(zones)
    .filter((_) => isBelow(name, _.name))
    .toSorted((a, b) => b.name.length - a.name.length)[0]

export const childrenOf = ({ zones }: DesignateState, name: string): ReadonlyArray<Zone> =>
  Object.values(zones).filter((_) => isBelow(_.name, name))

/** Names form one tree for all projects: a project cannot create a zone below or above another project's zone. */
export const zonePlace = (state: DesignateState, projectId: string, name: string): Ruling<void> => {
  if (name.split(".").length < 3) return forbid(400, "invalid_zone_name", "More than one label is required")
  const parent = parentOf(state, name)
  if (parent !== undefined && parent.project_id !== projectId) {
    return forbid(403, "illegal_child", "Unable to create subzone in another tenants zone")
  }
  if (childrenOf(state, name).some((_) => _.project_id !== projectId)) {
    const message = "Unable to create zone because another tenant owns a subzone of the zone"
    return forbid(403, "illegal_parent", message)
  }
  const holder = Object.values(state.zones).find((_) => sameName(_.name, name))
  if (holder === undefined) return Result.void
  const message =
    holder.project_id === projectId ? "Duplicate Zone" : "Zone already exists, owned by a different tenant"
  return forbid(409, "duplicate_zone", message)
}

type Placed = Pick<Recordset, "name" | "type" | "records"> & { readonly id?: string }

/** Whether a recordset may exist at a name, and next to the name's other recordsets. */
export const recordsetPlace = (
  state: DesignateState,
  zone: Zone,
  { id, name, records, type }: Placed
): Ruling<void> => {
  const misplaced = (message: string) => forbid(400, "invalid_recordset_location", message)
  if (name !== zone.name && !name.endsWith(`.${zone.name}`)) {
    return misplaced("RecordSet is not contained within it's parent zone")
  }
  if (type === "CNAME" && name === zone.name) return misplaced("CNAME recordsets may not be created at the zone apex")
  const beside = recordsetsOf(state, zone.id).filter((_) => _.id !== id && sameName(_.name, name))
  if (beside.some((_) => _.type !== type && (type === "CNAME" || _.type === "CNAME"))) {
    return misplaced("CNAME recordsets may not share a name with any other records")
  }
  const child = name === zone.name ? undefined : childrenOf(state, zone.name).find((_) => inOrAt(name, _))
  if (child !== undefined) return misplaced(`RecordSet belongs in a child zone: ${child.name}`)
  if (type === "CNAME" && records.length > 1) {
    return forbid(400, "bad_request", "CNAME recordsets may not have more than 1 record")
  }
  return beside.some((_) => _.type === type) ? forbid(409, "duplicate_recordset", "Duplicate RecordSet") : Result.void
}

const inOrAt = (name: string, zone: Zone): boolean => sameName(name, zone.name) || isBelow(name, zone.name)
