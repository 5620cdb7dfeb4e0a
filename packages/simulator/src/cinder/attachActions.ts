import { randomUUID } from "node:crypto"
import { objectAt, stringAt } from "../Json.ts"
import { badRequest, policyRefuses } from "../nova/fault.ts"
import { empty, json } from "../Wire.ts"
import type { Action } from "./request.ts"

/** Actions that compute hosts call; members may call them too. */
const move =
  (from: string, to: string, name: string): Action =>
  (_, volume) => {
    if (volume.status !== from) {
      return badRequest(
        `Invalid volume: Volume status must be ${from} to ${name}, but current status is: ${volume.status}.`
      )
    }
    volume.status = to
    volume.due = null
    return empty(202)
  }

const attach: Action = ({ now }, volume, value) => {
  const [server_id, device] = [stringAt(objectAt(value), "instance_uuid"), stringAt(objectAt(value), "mountpoint")]
  if (server_id === undefined || device === undefined) return badRequest("Invalid request to attach volume")
  if (!["available", "reserved", "attaching"].includes(volume.status)) {
    return badRequest("Invalid volume: Volume status must be available or attaching to attach.")
  }
  const mode = stringAt(objectAt(value), "mode") ?? "rw"
  const { readonly = "False" } = volume.admin_metadata ?? {}
  if (readonly === "True" && mode !== "ro") {
    return badRequest(`Invalid attaching mode '${mode}' for volume ${volume.id}.`)
  }
  volume.admin_metadata = { readonly, attached_mode: mode }
  volume.attachment = { id: randomUUID(), server_id, device, attached_at: now, delete_on_termination: false }
  volume.status = "in-use"
  volume.due = null
  return empty(202)
}

const detach: Action = (_, volume) => {
  const noted = Object.entries(volume.admin_metadata ?? {}).filter(([key]) => key !== "attached_mode")
  volume.admin_metadata = Object.fromEntries(noted)
  volume.attachment = null
  volume.status = "available"
  volume.due = null
  return empty(202)
}

const forceDetach: Action = (request, volume, value) =>
  request.scope.admin
    ? detach(request, volume, value)
    : policyRefuses("volume_extension:volume_admin_actions:force_detach")

export const attachActions: Readonly<Record<string, Action>> = {
  "os-reserve": move("available", "attaching", "reserve"),
  "os-unreserve": move("attaching", "available", "unreserve"),
  "os-begin_detaching": move("in-use", "detaching", "begin detaching"),
  "os-roll_detaching": move("detaching", "in-use", "roll detaching"),
  "os-attach": attach,
  "os-detach": detach,
  "os-force_detach": forceDetach,
  "os-initialize_connection": (_, volume) =>
    json(200, { connection_info: { driver_volume_type: "iscsi", data: { volume_id: volume.id } } }),
  "os-terminate_connection": () => empty(202)
}
