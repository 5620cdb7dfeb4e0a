import { has, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { type Asked, lockedFor, memberRoute, ofServer, wrongState } from "./asked.ts"
import { badRequest, policyRefuses } from "./fault.ts"
import { overQuota } from "./quotas.ts"
import { remove } from "./servers.ts"
import { type Server, serverDelay, type VmState } from "./state.ts"

type Action = (asked: Asked, server: Server, value: unknown) => Answer

const begin = ({ now }: Asked, server: Server, task: string, to: VmState): void => {
  server.task_state = task
  server.due = { at: now + serverDelay, vm_state: to }
}

/** A task that takes the server from one of some states to another: 202 now, done later. */
const change =
  (name: string, from: ReadonlyArray<VmState>, task: string, to: VmState): Action =>
  (asked, server) => {
    const refused = lockedFor(asked, server) ?? wrongState(name, server, from)
    if (refused !== undefined) return refused
    begin(asked, server, task, to)
    return empty(202)
  }

const softReboot = change("reboot", ["active"], "rebooting", "active")
const hardReboot = change("reboot", ["active", "stopped", "paused", "suspended", "error"], "rebooting_hard", "active")

const reboot: Action = (asked, server, value) => {
  const type = stringAt(objectAt(value), "type")?.toUpperCase()
  if (type === "SOFT") return softReboot(asked, server, value)
  if (type === "HARD") return hardReboot(asked, server, value)
  return badRequest(
    "Invalid input for field/attribute type. It must be one of 'HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft'"
  )
}

const lock: Action = ({ scope }, server) => {
  const owned = scope.projectId === server.project_id
  server.locked_by = owned && server.locked_by !== "admin" ? "owner" : "admin"
  return empty(202)
}

/** What an administrator has locked, its owner cannot unlock. */
const unlock: Action = ({ scope }, server) => {
  if (server.locked_by === "admin" && !scope.admin) {
    return policyRefuses("os_compute_api:os-lock-server:unlock:unlock_override")
  }
  server.locked_by = null
  return empty(202)
}

const resize: Action = (asked, server, value) => {
  const flavor = asked.world.nova.flavors[stringAt(objectAt(value), "flavorRef") ?? ""]
  if (flavor === undefined) return badRequest("Unable to locate requested flavor.")
  const refused = lockedFor(asked, server) ?? wrongState("resize", server, ["active", "stopped"])
  if (refused !== undefined) return refused
  if (flavor.id === server.flavor_id) {
    return badRequest("When resizing, instances must change flavor!")
  }
  const wanted = { cores: flavor.vcpus, ram: flavor.ram }
  const over = overQuota(asked.world, server.project_id, wanted)
  if (over !== undefined) return over
  server.old_flavor_id = server.flavor_id
  server.flavor_id = flavor.id
  begin(asked, server, "resize_prep", "resized")
  return empty(202)
}

const confirmResize: Action = (asked, server) => {
  const refused = lockedFor(asked, server) ?? wrongState("confirmResize", server, ["resized"])
  if (refused !== undefined) return refused
  server.old_flavor_id = null
  server.vm_state = "active"
  return empty(204)
}

const revertResize: Action = (asked, server) => {
  const refused = lockedFor(asked, server) ?? wrongState("revertResize", server, ["resized"])
  if (refused !== undefined) return refused
  server.flavor_id = server.old_flavor_id ?? server.flavor_id
  server.old_flavor_id = null
  begin(asked, server, "resize_reverting", "active")
  return empty(202)
}

const rescue: Action = (asked, server, value) => {
  const refused = lockedFor(asked, server) ?? wrongState("rescue", server, ["active", "stopped", "error"])
  if (refused !== undefined) return refused
  begin(asked, server, "rescuing", "rescued")
  return json(200, { adminPass: stringAt(objectAt(value), "adminPass") ?? server.id.slice(0, 12) })
}

const resetState: Action = ({ scope }, server, value) => {
  if (!scope.admin) return policyRefuses("os_compute_api:os-admin-actions:reset_state")
  const state = stringAt(objectAt(value), "state")
  if (state !== "active" && state !== "error") return badRequest("Invalid input for field/attribute state.")
  server.vm_state = state
  server.task_state = null
  server.due = null
  return empty(202)
}

/** A shelved server is offloaded at once, as `shelved_offload_time` has it by default. */
const actions: Readonly<Record<string, Action>> = {
  "os-start": change("start", ["stopped"], "powering-on", "active"),
  "os-stop": change("stop", ["active", "error"], "powering-off", "stopped"),
  reboot,
  pause: change("pause", ["active"], "pausing", "paused"),
  unpause: change("unpause", ["paused"], "unpausing", "active"),
  suspend: change("suspend", ["active"], "suspending", "suspended"),
  resume: change("resume", ["suspended"], "resuming", "active"),
  shelve: change("shelve", ["active", "stopped", "paused", "suspended"], "shelving", "shelved_offloaded"),
  unshelve: change("unshelve", ["shelved", "shelved_offloaded"], "unshelving", "active"),
  rescue,
  unrescue: change("unrescue", ["rescued"], "unrescuing", "active"),
  resize,
  confirmResize,
  revertResize,
  lock,
  unlock,
  forceDelete: (asked, server) => {
    const gone = remove(asked, server)
    return gone.status === 204 ? empty(202) : gone
  },
  "os-resetState": resetState
}

/** The one key of the body names the action. */
const act = ofServer((asked, server) => {
  const body = objectAt(asked.json)
  const [key = "", ...others] = Object.keys(body)
  if (!has(body, key) || others.length > 0) return badRequest("Malformed request body")
  const action = Object.hasOwn(actions, key) ? actions[key] : undefined
  return action === undefined ? badRequest(`There is no such action: ${key}`) : action(asked, server, body[key])
})

export const actionRoutes: Routes = { "POST /v2.1/servers/:id/action": memberRoute("servers:action", act) }
