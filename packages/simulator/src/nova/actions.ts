import { entry, has, objectAt, stringAt } from "../Json.ts"
import { empty, json, type Routes } from "../Wire.ts"
import { actionSchemas } from "./actionSchemas.ts"
import { lockedFor, memberRoute, ofServer, wrongState } from "./request.ts"
import { attributesOf } from "./attributes.ts"
import { badRequest, misfit, notFound, policyRefuses } from "./fault.ts"
import { guestActions } from "./guestActions.ts"
import { note } from "./history.ts"
import { imageActions } from "./imageActions.ts"
import { networkActions } from "./networkActions.ts"
import { overQuota } from "./quotas.ts"
import { remove } from "./servers.ts"
import { type Action, begin, change } from "./tasks.ts"

const softReboot = change("reboot", ["active"], "rebooting", "active")
const hardReboot = change("reboot", ["active", "stopped", "paused", "suspended", "error"], "rebooting_hard", "active")

const reboot: Action = (request, server, value) =>
  stringAt(objectAt(value), "type")?.toUpperCase() === "SOFT"
    ? softReboot(request, server, value)
    : hardReboot(request, server, value)

const lock: Action = ({ scope }, server) => {
  const owned = scope.projectId === server.project_id
  server.locked_by = owned && server.locked_by !== "admin" ? "owner" : "admin"
  return empty(202)
}

/** The owner cannot unlock a server that an administrator has locked. */
const unlock: Action = ({ scope }, server) => {
  if (server.locked_by === "admin" && !scope.admin) {
    return policyRefuses("os_compute_api:os-lock-server:unlock:unlock_override")
  }
  server.locked_by = null
  return empty(202)
}

const resize: Action = (request, server, value) => {
  const given = objectAt(value)
  const id = String(given["flavorRef"])
  const flavor = request.world.nova.flavors[id]
  if (flavor === undefined) return badRequest(`Flavor ${id} could not be found.`)
  const refused = lockedFor(request, server) ?? wrongState("resize", server, ["active", "stopped"])
  if (refused !== undefined) return refused
  if (flavor.id === server.flavor_id) {
    return badRequest("When resizing, instances must change flavor!")
  }
  const wanted = { cores: flavor.vcpus, ram: flavor.ram }
  const over = overQuota(request.world, server.project_id, wanted)
  if (over !== undefined) return over
  server.old_flavor_id = server.flavor_id
  server.flavor_id = flavor.id
  server.resized_from = server.vm_state
  Object.assign(server, attributesOf(given))
  begin(request, server, "resize_prep", "resized")
  return empty(202)
}

const confirmResize: Action = (request, server) => {
  const refused = lockedFor(request, server) ?? wrongState("confirmResize", server, ["resized"])
  if (refused !== undefined) return refused
  server.old_flavor_id = null
  server.vm_state = server.resized_from ?? "active"
  server.updated_at = request.now
  return empty(204)
}

const revertResize: Action = (request, server) => {
  const refused = lockedFor(request, server) ?? wrongState("revertResize", server, ["resized"])
  if (refused !== undefined) return refused
  server.flavor_id = server.old_flavor_id ?? server.flavor_id
  server.old_flavor_id = null
  begin(request, server, "resize_reverting", server.resized_from ?? "active")
  return empty(202)
}

const rescue: Action = (request, server, value) => {
  const refused = lockedFor(request, server) ?? wrongState("rescue", server, ["active", "stopped", "error"])
  if (refused !== undefined) return refused
  begin(request, server, "rescuing", "rescued")
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

const adminsOnly =
  (rule: string, action: Action): Action =>
  (request, server, value) =>
    request.scope.admin ? action(request, server, value) : policyRefuses(`os_compute_api:${rule}`)

/** A shelved server is offloaded at once, by the default of `shelved_offload_time`. */
export const actions: Readonly<Record<string, Action>> = {
  "os-start": change("start", ["stopped"], "powering-on", "active"),
  "os-stop": change("stop", ["active", "error"], "powering-off", "stopped"),
  reboot,
  pause: change("pause", ["active"], "pausing", "paused"),
  unpause: change("unpause", ["paused"], "unpausing", "active"),
  suspend: change("suspend", ["active"], "suspending", "suspended"),
  resume: change("resume", ["suspended"], "resuming", "active"),
  shelveOffload: adminsOnly(
    "os-shelve:shelve_offload",
    change("shelveOffload", ["shelved"], "shelving_offloading", "shelved_offloaded")
  ),
  rescue,
  unrescue: change("unrescue", ["rescued"], "unrescuing", "active"),
  resize,
  confirmResize,
  revertResize,
  lock,
  unlock,
  forceDelete: (request, server) => {
    const gone = remove(request, server)
    return gone.status === 204 ? empty(202) : gone
  },
  // Soft deletion is off by default, so there is nothing to restore.
  restore: (request, server) => wrongState("restore", server, []) ?? empty(202),
  "os-resetState": resetState,
  migrate: adminsOnly("os-migrate-server:migrate", change("migrate", ["active", "stopped"], "resize_prep", "resized")),
  "os-migrateLive": adminsOnly(
    "os-migrate-server:migrate_live",
    change("os-migrateLive", ["active", "paused"], "migrating", "active")
  ),
  evacuate: adminsOnly("os-evacuate", (request, server) => {
    const done = change("evacuate", ["active", "stopped", "error"], "rebuilding", "active")(request, server, null)
    return done.status === 202 ? json(200, request.minor < 14 ? { adminPass: server.id.slice(0, 12) } : {}) : done
  }),
  injectNetworkInfo: adminsOnly("os-admin-actions:inject_network_info", () => empty(202)),
  ...imageActions,
  ...guestActions,
  ...networkActions
}

/** The last microversion of removed actions, and the first of added ones. */
const lastMinors: Readonly<Record<string, number>> = {
  addFloatingIp: 43,
  removeFloatingIp: 43,
  addFixedIp: 43,
  removeFixedIp: 43,
  "os-getVNCConsole": 5,
  "os-getSPICEConsole": 5
}
const firstMinors: Readonly<Record<string, number>> = { trigger_crash_dump: 17 }

/** The only key of the body is the action. */
const act = ofServer((request, server) => {
  const body = objectAt(request.json)
  const [key = "", ...others] = Object.keys(body)
  if (!has(body, key) || others.length > 0) return badRequest("Malformed request body")
  const action = entry(actions, key)
  if (action === undefined) return badRequest(`There is no such action: ${key}`)
  if (request.minor > (lastMinors[key] ?? request.minor) || request.minor < (firstMinors[key] ?? 1)) {
    return notFound(`API version '2.${request.minor}' is not supported on this method.`)
  }
  const schema = entry(actionSchemas, key)?.(request.minor)
  const misfits = schema && misfit(schema, body)
  if (misfits !== undefined) return misfits
  const done = action(request, server, body[key])
  if (done.status < 300) note(request, server, key)
  return done
})

export const actionRoutes: Routes = { "POST /v2.1/servers/:id/action": memberRoute("servers:action", act) }
