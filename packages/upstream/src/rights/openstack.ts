import { Config, Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { Neutron } from "../neutron/Neutron.ts"
import { Catalog } from "../openstack/Catalog.ts"
import { controlled, underSession } from "../openstack/openstack.ts"
import { Sessions } from "../openstack/Sessions.ts"
import type { System } from "../System.ts"
import type { UpstreamError } from "../UpstreamError.ts"
import type { Missing, Rights } from "./Missing.ts"

/** The role of the control identity. */
const adminRole = "admin"

const Named = Schema.Struct({ name: Schema.String })
const Token = Schema.Struct({ token: Schema.Struct({ roles: Schema.Array(Named) }) })
const Roles = Schema.Struct({ roles: Schema.Array(Named) })

/** A project that does not exist: only an administrator reads the quotas of any project but its own. */
const anyProject = "0".repeat(32)

const grantAdmin = `Give KEYSTONE_USER the role ${adminRole} on the project KEYSTONE_PROJECT: openstack role add --project <KEYSTONE_PROJECT> --user <KEYSTONE_USER> ${adminRole}`

/** A refusal of an administrator's read, as what is missing. Every other failure stays one. */
const refusedAs =
  (missing: Missing) =>
  (read: Effect.Effect<unknown, UpstreamError>): Rights =>
    read.pipe(
      Effect.as([]),
      Effect.catchIf(
        ({ status }) => status === 403,
        () => Effect.succeed([missing])
      )
    )

const quotaRight = (service: string): Missing => ({
  what: `the right to write the quotas of ${service}`,
  fix: `${grantAdmin}; with it, look at the policy of ${service}`
})

/** The rights of the control identity, by component. Octavia, Nova and Cinder have no read that needs the very right to write quotas, so that theirs is a read that stock policies give to the same role. */
export const openstackRights = Effect.gen(function* () {
  const sessions = yield* Sessions
  const catalog = yield* Catalog
  const neutron = yield* Neutron
  const keystone = yield* controlled("keystone", "identity")
  const under = yield* underSession
  const tenantRoles = yield* Config.String("KEYSTONE_TENANT_ROLES").pipe(
    Config.withDefault("member,load-balancer_member,creator")
  )
  const asControl = (upstream: string, service: keyof Catalog["Service"]["required"]): System =>
    under({ upstream, url: catalog.required[service], session: sessions.control })

  const ownRole = Effect.gen(function* () {
    const { token } = yield* sessions.control
    const held = yield* keystone.read(
      "read own token",
      HttpClientRequest.get("/auth/tokens", { headers: { "x-subject-token": Redacted.value(token) } }),
      Token
    )
    return held.token.roles.some(({ name }) => name === adminRole)
      ? []
      : [{ what: `the role ${adminRole} on the project KEYSTONE_PROJECT`, fix: grantAdmin }]
  })

  const tenantRole = Effect.gen(function* () {
    const [first = ""] = tenantRoles.split(",").map((_) => _.trim())
    const { roles } = yield* keystone.read("list roles", HttpClientRequest.get("/roles"), Roles)
    return roles.some(({ name }) => name === first)
      ? []
      : [{ what: `the role '${first}'`, fix: `Make it, or name another one first in KEYSTONE_TENANT_ROLES` }]
  })

  /** Not to be listed is a matter of rights as well. */
  const identity = Effect.flatMap(ownRole, (missing) =>
    missing.length > 0
      ? Effect.succeed(missing)
      : refusable({ what: "the right to list roles", fix: "Look at the policy of Keystone" }, tenantRole)
  )

  const network = Effect.gen(function* () {
    const quotas = yield* refusedAs(quotaRight("Neutron"))(
      asControl("neutron", "network").write("list quotas", HttpClientRequest.get("/quotas"), Schema.Unknown)
    )
    const uplink = yield* neutron.externalNetwork.pipe(
      Effect.as([]),
      Effect.catchIf(
        ({ status }) => status === 404,
        ({ detail }) =>
          Effect.succeed([
            { what: `the external network (${detail})`, fix: "Set EXTERNAL_NETWORK_ID to one that is up and external" }
          ])
      )
    )
    return [...quotas, ...uplink]
  })

  const rights: Readonly<Record<string, Rights>> = {
    identity,
    compute: refusedAs(quotaRight("Nova"))(
      asControl("nova", "compute").write("list services", HttpClientRequest.get("/os-services"), Schema.Unknown)
    ),
    network,
    volume: refusedAs(quotaRight("Cinder"))(
      Effect.flatMap(sessions.controlProjectId, (own) =>
        asControl("cinder", "volume").write(
          "list services",
          HttpClientRequest.get(`/${encodeURIComponent(own)}/os-services`),
          Schema.Unknown
        )
      )
    ),
    "load-balancer": refusedAs(quotaRight("Octavia"))(
      asControl("octavia", "load-balancer").write(
        "read quotas",
        HttpClientRequest.get(`/lbaas/quotas/${anyProject}`),
        Schema.Unknown
      )
    )
  }
  return rights
})

const refusable = (missing: Missing, rights: Rights): Rights =>
  Effect.catchIf(
    rights,
    ({ status }) => status === 403,
    () => Effect.succeed([missing])
  )
