import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Nova } from "@portico/upstream/nova/Nova"
import { type Session, Sessions } from "@portico/upstream/openstack/Sessions"
import { Clock, Effect, Redacted } from "effect"
import type { Cases } from "../Case.ts"
import { absent, attempt } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const stamp = "portico-attempt:sessions"

/** What a session is good for: its project, and about how long. */
const shown = (session: Effect.Effect<Session, unknown>) =>
  Effect.gen(function* () {
    const { expiresAt, projectId, token } = yield* session
    const minutes = Math.ceil((expiresAt - (yield* Clock.currentTimeMillis)) / 60_000)
    return { projectId, lastsAnHour: minutes > 55 && minutes <= 61, fernet: Redacted.value(token).startsWith("gAAAA") }
  })

export const sessions: Cases = {
  "the control session is scoped to the control project": Effect.gen(function* () {
    const { control, controlProjectId } = yield* Sessions
    return { session: yield* Effect.orDie(shown(control)), projectId: yield* controlProjectId }
  }),

  "a tenant's session is scoped to its own project": Effect.gen(function* () {
    const { tenant } = yield* Sessions
    return yield* Effect.orDie(shown(tenant((yield* Systems).tenant)))
  }),

  "a project without its user, one that is disabled, and one that never was are refused alike": Effect.gen(
    function* () {
      const sessions = yield* Sessions
      const keystone = yield* Keystone
      const { ask, named } = yield* Systems
      const make = (name: string) =>
        Effect.acquireRelease(keystone.createProject({ name: named(name), stamp, description: "" }), ({ id }) =>
          Effect.ignore(Effect.andThen(keystone.removeTenantUser({ stamp, projectId: id }), keystone.removeProject(id)))
        )
      const empty = yield* make("empty")
      const disabled = yield* make("disabled")
      yield* keystone.createTenantUser({ projectId: disabled.id, stamp })
      yield* ask("control", `PATCH identity/projects/${disabled.id}`, { json: { project: { enabled: false } } })
      return {
        empty: yield* attempt(sessions.tenant(empty.id)),
        disabled: yield* attempt(sessions.tenant(disabled.id)),
        absent: yield* attempt(sessions.tenant(absent.hex))
      }
    }
  ).pipe(Effect.scoped),

  "a session whose token was revoked is renewed once, and its call succeeds": Effect.gen(function* () {
    const sessions = yield* Sessions
    const keystone = yield* Keystone
    const { ask, tenant } = yield* Systems
    const before = yield* sessions.control
    const token = Redacted.value(before.token)
    yield* ask({ token }, "DELETE identity/auth/tokens", { headers: { "x-subject-token": token } })
    const read = yield* attempt(Effect.map(keystone.getProject(tenant), (_) => _?.name))
    const after = yield* sessions.control
    return { read, renewed: Redacted.value(after.token) !== token }
  }),

  "a token of one tenant opens no other project": Effect.gen(function* () {
    const nova = yield* Nova
    const { ask, other } = yield* Systems
    const stamped = { headers: { "x-project-id": other, "x-tenant-id": other, "x-roles": "admin" } }
    const networks = yield* ask("tenant", `GET network/networks?project_id=${other}`, stamped)
    const servers = yield* ask("tenant", "GET compute/servers/detail", stamped)
    yield* nova.readQuotas(other)
    const project = yield* ask("tenant", `GET identity/projects/${other}`, stamped)
    // Its own are no matter: one that is being deleted is there until it is gone.
    const leaks = JSON.stringify(servers.json).includes(other)
    return { networks: networks.status, servers: servers.status, leaks, project: project.status }
  })
}
