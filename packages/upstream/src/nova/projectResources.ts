import { Effect, Schema } from "effect"
import { kindOf, type Table } from "../projectResources/listing.ts"
import type { Kind } from "../projectResources/Kind.ts"
import type { Inside } from "../keystone/inside.ts"
import { controlled } from "../openstack/openstack.ts"

/**
 * This microversion returns whether a server is locked and the project of a
 * server group, and lets an administrator name a keypair's user.
 */
const version = { "openstack-api-version": "compute 2.90" }

const servers: Table<{
  readonly id: string
  readonly name: string | null
  readonly tenant_id: string
  readonly locked?: boolean
  readonly "OS-EXT-STS:task_state"?: string | null
}> = {
  service: "compute",
  name: "servers",
  path: "/servers/detail",
  collection: "servers",
  billed: "server",
  item: Schema.Struct({
    id: Schema.String,
    name: Schema.NullOr(Schema.String),
    tenant_id: Schema.String,
    locked: Schema.optionalKey(Schema.Boolean),
    "OS-EXT-STS:task_state": Schema.optionalKey(Schema.NullOr(Schema.String))
  }),
  // Nova ignores `project_id` without `all_tenants`.
  query: (projectId) => ({ all_tenants: "1", project_id: projectId }),
  headers: () => version,
  paging: { by: "marker", limit: 500 },
  toListed: ({ id, locked, name, tenant_id, ...server }) => ({
    id,
    name,
    project: tenant_id,
    busy: server["OS-EXT-STS:task_state"] === "deleting",
    // Nova would not reject the removal, because an administrator may remove a locked server.
    guarded: locked === true ? "locked" : undefined
  })
}

const serverGroups: Table<{ readonly id: string; readonly name: string; readonly project_id?: string }> = {
  service: "compute",
  name: "server_groups",
  path: "/os-server-groups",
  collection: "server_groups",
  item: Schema.Struct({ id: Schema.String, name: Schema.String, project_id: Schema.optionalKey(Schema.String) }),
  query: () => ({ all_projects: "True" }),
  headers: () => version,
  paging: { by: "offset", limit: 500 },
  toListed: ({ id, name, project_id }) => ({ id, name, project: project_id })
}

const keypairs = (userId: string): Table<{ readonly keypair: { readonly name: string } }> => ({
  service: "compute",
  name: "keypairs",
  path: "/os-keypairs",
  collection: "keypairs",
  item: Schema.Struct({ keypair: Schema.Struct({ name: Schema.String }) }),
  query: () => ({ user_id: userId }),
  removal: { user_id: userId },
  headers: () => version,
  paging: { by: "marker", limit: 500 },
  // A keypair belongs to a user, and the tenant's user belongs to one project.
  toListed: ({ keypair: { name } }, projectId) => ({ id: name, name, project: projectId })
})

/** Servers, server groups, and the keypairs of the tenant's user. */
export const novaResources = Effect.fnUntraced(function* ({ tenantUser }: Inside) {
  const nova = yield* controlled("nova", "compute")
  const system = () => nova
  const keypairsOf = (userId: string) => kindOf(keypairs(userId), { system })

  const ofUser: Kind = {
    service: "compute",
    name: "keypairs",
    list: Effect.fnUntraced(function* (projectId) {
      const userId = yield* tenantUser(projectId)
      return userId === undefined ? [] : yield* keypairsOf(userId).list(projectId)
    }),
    remove: Effect.fnUntraced(function* (projectId, id) {
      const userId = yield* tenantUser(projectId)
      if (userId !== undefined) yield* keypairsOf(userId).remove(projectId, id)
    })
  }
  return { servers: kindOf(servers, { system }), serverGroups: kindOf(serverGroups, { system }), keypairs: ofUser }
})
