import { Result } from "effect"
import type { Refusal } from "./answers.ts"
import { recordsetError } from "./fields.ts"
import { isZoneFileData } from "./recordData.ts"
import { type DesignateState, type Import, recordsetsOf, type Zone } from "./state.ts"
import { addRecordset, addZone } from "./writes.ts"
import { readZoneFile } from "./zonefile.ts"

/** Applies the due work of the workers: removes deleted zones with their content, and reads zone files. */
export const settle = (state: DesignateState, now: number): void => {
  for (const zone of Object.values(state.zones)) {
    if (zone.deleted_from !== null && zone.deleted_from <= now) dropZone(state, zone)
  }
  for (const task of Object.values(state.imports)) {
    if (task.status === "PENDING" && task.ready_from <= now) finish(state, task)
  }
}

const dropZone = (state: DesignateState, zone: Zone): void => {
  for (const { id } of recordsetsOf(state, zone.id)) delete state.recordsets[id]
  for (const task of Object.values(state.exports)) if (task.zone_id === zone.id) delete state.exports[task.id]
  for (const request of Object.values(state.transferRequests)) {
    if (request.zone_id === zone.id) delete state.transferRequests[request.id]
  }
  delete state.zones[zone.id]
}

const finish = (state: DesignateState, task: Import): void => {
  const made = imported(state, task)
  task.updated_at = task.ready_from
  task.status = typeof made === "string" ? "ERROR" : "COMPLETE"
  task.message = typeof made === "string" ? made : `${made.name} imported`
  task.zone_id = typeof made === "string" ? null : made.id
}

const malformed = "Malformed zonefile."

/** Creates a zone with the content of the file, or returns the error. */
const imported = (state: DesignateState, task: Import): Zone | string => {
  const file = readZoneFile(task.text)
  if (typeof file === "string") return file
  const { email, name, recordsets, ttl } = file
  const given = {
    project_id: task.project_id,
    name,
    email,
    ttl,
    description: null,
    type: "PRIMARY",
    masters: [],
    attributes: {}
  } as const
  const now = task.ready_from
  const zone = addZone(state, now, given)
  if (Result.isFailure(zone)) return messageOf(zone.failure)
  for (const recordset of recordsets) {
    const added =
      recordsetError(recordset) !== undefined || !recordset.records.every((_) => isZoneFileData(recordset.type, _))
        ? Result.fail(undefined)
        : addRecordset(state, now, zone.success, { ...recordset, description: null }, "stays")
    if (Result.isSuccess(added)) continue
    dropZone(state, zone.success)
    return added.failure === undefined ? malformed : messageOf(added.failure)
  }
  return zone.success
}

const messageOf = ({ type }: Refusal): string => {
  if (type === "duplicate_zone") return "Duplicate zone."
  return type === "over_quota" ? "Quota exceeded during zone import." : "An undefined error occurred."
}
