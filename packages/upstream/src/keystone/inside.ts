import { Config, Duration, Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { controlled, ttlOnSuccess } from "../openstack/openstack.ts"
import { Sessions, tenantUserName } from "../openstack/Sessions.ts"
import { UpstreamError } from "../UpstreamError.ts"

const Ids = Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String }))

/**
 * Access of the control identity to a tenant's project: the id of the tenant's
 * user, who owns the keypairs, and a role inside the project, for a service
 * that goes by the token's project alone.
 */
export const inside = Effect.gen(function* () {
  const sessions = yield* Sessions
  const system = yield* controlled("keystone", "identity")
  const domain = yield* Config.String("KEYSTONE_DOMAIN_ID").pipe(Config.withDefault("default"))

  const adminRole = yield* Effect.cachedWithTTL(
    Effect.gen(function* () {
      const { roles } = yield* system.read(
        "find admin role",
        HttpClientRequest.get("/roles", { urlParams: { name: "admin" } }),
        Schema.Struct({ roles: Ids })
      )
      const found = roles.find((_) => _.name === "admin")
      if (found !== undefined) return found.id
      return yield* new UpstreamError({
        upstream: "keystone",
        call: "find admin role",
        status: 404,
        detail: "there is no role 'admin'"
      })
    }),
    ttlOnSuccess(Duration.hours(1))
  )

  const grant = Effect.fnUntraced(function* (projectId: string) {
    const { userId } = yield* sessions.control
    return `/projects/${encodeURIComponent(projectId)}/users/${userId}/roles/${yield* adminRole}`
  })

  return {
    /** The tenant's user; undefined when it is gone. */
    tenantUser: Effect.fn("Keystone.tenantUser")(function* (projectId: string) {
      const name = tenantUserName(projectId)
      const { users } = yield* system.read(
        "find tenant user",
        HttpClientRequest.get("/users", { urlParams: { name, domain_id: domain } }),
        Schema.Struct({ users: Ids })
      )
      return users.find((_) => _.name === name)?.id
    }),
    /** Grants the control identity the role and returns a session inside the project. Repeatable. */
    enter: Effect.fn("Keystone.enter")(function* (projectId: string) {
      yield* system.send("grant admin", HttpClientRequest.put(yield* grant(projectId)))
      return yield* sessions.controlWithin(projectId)
    }),
    /** Revokes the role. It also ends with the project. Repeatable. */
    leave: Effect.fn("Keystone.leave")(function* (projectId: string) {
      yield* system.remove("revoke admin", HttpClientRequest.delete(yield* grant(projectId)))
    })
  }
})
export type Inside = Effect.Success<typeof inside>
