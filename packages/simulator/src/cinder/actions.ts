import { entry, numberAt, objectAt, stringAt } from "../Json.ts"
import { badRequest, booleanOf, invalidField, notFound, policyRefuses } from "../nova/fault.ts"
import { repr } from "../python.ts"
import { type Answer, empty, type Routes } from "../Wire.ts"
import { type Action, type Request, memberRoute, ofVolume } from "./request.ts"
import { attachActions } from "./attachActions.ts"
import { imageActions } from "./imageActions.ts"
import { overQuota } from "./quotas.ts"
import { type Volume, volumeDelay } from "./state.ts"

const extend = (request: Request, volume: Volume, value: unknown): Answer => {
  const asSize = objectAt(value)["new_size"]
  const wanted =
    typeof asSize === "string" && /^\d+$/.test(asSize) ? Number(asSize) : numberAt(objectAt(value), "new_size")
  if (wanted === undefined || !Number.isInteger(wanted) || wanted < 1) {
    const why = typeof asSize === "string" ? "does not match '^[0-9]+$'" : "is not of type 'integer', 'string'"
    return invalidField("new_size", asSize, `${repr(asSize)} ${why}`)
  }
  // An attached volume can grow since microversion 3.42.
  if (volume.status !== "available" && !(request.minor >= 42 && volume.status === "in-use")) {
    return badRequest(
      `Invalid volume: Volume ${volume.id} status must be '('available', 'in-use')' to extend, currently ${volume.status}.`
    )
  }
  if (wanted <= volume.size) {
    return badRequest(
      "Invalid input received: New size for extend must be greater than current size. " +
        `(current: ${volume.size}, extended: ${wanted}).`
    )
  }
  const grown = { gigabytes: wanted - volume.size }
  const refused = overQuota(request.world, volume.project_id, grown, volume.volume_type)
  if (refused !== undefined) return refused
  volume.due = { at: request.now + volumeDelay, status: volume.status, size: wanted }
  volume.status = "extending"
  return empty(202)
}

const resettable = ["available", "creating", "deleting", "error", "error_deleting", "in-use", "attaching", "detaching"]

const resetStatus = ({ scope }: Request, volume: Volume, value: unknown): Answer => {
  if (!scope.admin) return policyRefuses("volume_extension:volume_admin_actions:reset_status")
  const status = stringAt(objectAt(value), "status")
  if (status === undefined || !resettable.includes(status))
    return invalidField("status", status, "is not one of the statuses")
  volume.status = status
  volume.due = null
  return empty(202)
}

const forceDelete = ({ now, scope }: Request, volume: Volume): Answer => {
  if (!scope.admin) return policyRefuses("volume_extension:volume_admin_actions:force_delete")
  volume.status = "deleting"
  volume.due = { at: now + volumeDelay, status: "deleted" }
  return empty(202)
}

const retype: Action = ({ now, world }, volume, value) => {
  const wanted = stringAt(objectAt(value), "new_type")
  if (wanted === undefined) return badRequest("'new_type' is a required property")
  const type = Object.values(world.cinder.types).find((_) => _.name === wanted || _.id === wanted)
  if (type === undefined) return notFound(`Volume type with name ${wanted} could not be found.`)
  if (!["available", "in-use"].includes(volume.status)) {
    return badRequest(`Invalid volume: Volume ${volume.id} status must be available or in-use to retype.`)
  }
  if (type.name === volume.volume_type)
    return badRequest(`Invalid input received: New volume_type same as original: ${wanted}.`)
  const grown = { volumes: 1, gigabytes: volume.size }
  const refused = overQuota(world, volume.project_id, grown, type.name)
  if (refused !== undefined) return refused
  volume.due = { at: now + volumeDelay, status: volume.status }
  volume.status = "retyping"
  volume.volume_type = type.name
  return empty(202)
}

/** A boolean in any spelling that Cinder accepts; undefined for any other value. */
const flagOf = (value: unknown, key: string): boolean | undefined => {
  const given = objectAt(value)[key]
  return typeof given === "string" ? booleanOf(given) : typeof given === "boolean" ? given : undefined
}

const setBootable: Action = (_, volume, value) => {
  const bootable = flagOf(value, "bootable")
  if (bootable === undefined) return invalidField("bootable", objectAt(value)["bootable"], "is not a boolean")
  volume.bootable = bootable
  return empty(200)
}

const updateReadonly: Action = (_, volume, value) => {
  const readonly = flagOf(value, "readonly")
  if (readonly === undefined) return invalidField("readonly", objectAt(value)["readonly"], "is not a boolean")
  if (volume.status !== "available") {
    return badRequest(
      `Invalid volume: Volume ${volume.id} status must be available to update readonly flag, but current status is: ` +
        `${volume.status}.`
    )
  }
  volume.admin_metadata = { ...volume.admin_metadata, readonly: readonly ? "True" : "False" }
  return empty(202)
}

const adminsOnly =
  (rule: string, action: Action): Action =>
  (request, volume, value) =>
    request.scope.admin ? action(request, volume, value) : policyRefuses(`volume_extension:${rule}`)

export const actions: Readonly<Record<string, Action>> = {
  "os-extend": extend,
  "os-retype": retype,
  "os-set_bootable": setBootable,
  "os-update_readonly_flag": updateReadonly,
  "os-reset_status": resetStatus,
  "os-force_delete": forceDelete,
  "os-migrate_volume": adminsOnly("volume_admin_actions:migrate_volume", () => empty(202)),
  "os-unmanage": adminsOnly("volume_unmanage", ({ world }, volume) => {
    delete world.cinder.volumes[volume.id]
    return empty(202)
  }),
  ...attachActions,
  ...imageActions
}

/** The one key of the body names the action. */
const act = ofVolume((request, volume) => {
  const [key = "", ...others] = Object.keys(objectAt(request.json))
  const action = others.length === 0 ? entry(actions, key) : undefined
  if (key === "") return badRequest("Malformed request body")
  return action === undefined
    ? badRequest(`There is no such action: ${key}. Verify the request body and Content-Type header and try again.`)
    : action(request, volume, objectAt(request.json)[key])
})

export const actionRoutes: Routes = {
  "POST /v3/:project/volumes/:id/action": memberRoute("volume:action", act)
}
