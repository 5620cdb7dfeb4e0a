import { numberAt, objectAt, stringAt } from "../Json.ts"
import { badRequest, invalidField, policyRefuses } from "../nova/fault.ts"
import { type Answer, empty, type Routes } from "../Wire.ts"
import { type Asked, memberRoute, ofVolume } from "./asked.ts"
import { overQuota } from "./quotas.ts"
import { type Volume, volumeDelay } from "./state.ts"

const extend = (asked: Asked, volume: Volume, value: unknown): Answer => {
  const wanted = numberAt(objectAt(value), "new_size")
  if (wanted === undefined || !Number.isInteger(wanted) || wanted < 1) {
    return badRequest("New volume size must be specified as an integer.")
  }
  if (volume.status !== "available") {
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
  const refused = overQuota(asked.world, volume.project_id, grown, volume.volume_type)
  if (refused !== undefined) return refused
  volume.status = "extending"
  volume.due = { at: asked.now + volumeDelay, status: "available", size: wanted }
  return empty(202)
}

const resettable = ["available", "creating", "deleting", "error", "error_deleting", "in-use", "attaching", "detaching"]

const resetStatus = ({ scope }: Asked, volume: Volume, value: unknown): Answer => {
  if (!scope.admin) return policyRefuses("volume_extension:volume_admin_actions:reset_status")
  const status = stringAt(objectAt(value), "status")
  if (status === undefined || !resettable.includes(status))
    return invalidField("status", status, "is not one of the statuses")
  volume.status = status
  volume.due = null
  return empty(202)
}

const forceDelete = ({ now, scope }: Asked, volume: Volume): Answer => {
  if (!scope.admin) return policyRefuses("volume_extension:volume_admin_actions:force_delete")
  volume.status = "deleting"
  volume.due = { at: now + volumeDelay, status: "deleted" }
  return empty(202)
}

type Action = (asked: Asked, volume: Volume, value: unknown) => Answer

const actions: Readonly<Record<string, Action>> = {
  "os-extend": extend,
  "os-reset_status": resetStatus,
  "os-force_delete": forceDelete
}

/** The one key of the body names the action. */
const act = ofVolume((asked, volume) => {
  const [key = "", ...others] = Object.keys(objectAt(asked.json))
  const action = others.length === 0 && Object.hasOwn(actions, key) ? actions[key] : undefined
  return action === undefined
    ? badRequest(`There is no such action: ${key}`)
    : action(asked, volume, objectAt(asked.json)[key])
})

export const actionRoutes: Routes = {
  "POST /v3/:project/volumes/:id/action": memberRoute("volume:action", act)
}
