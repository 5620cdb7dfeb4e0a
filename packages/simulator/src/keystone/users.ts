import { booleanAt, has, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, type Incoming, json, type Routes } from "../Wire.ts"
import { admin, baseOf, linksOf, newId, notFound } from "./answers.ts"
import { keystoneError } from "./scope.ts"
import type { User } from "./state.ts"
import { dropTokens } from "./tokens.ts"
import { checkJson, checkName } from "./validation.ts"

/** An attribute that was never set is not shown. */
const showUser =
  (incoming: Incoming) =>
  ({ default_project_id, description, password: _, ...user }: User) => ({
    ...user,
    ...(default_project_id === null ? {} : { default_project_id }),
    ...(description === null ? {} : { description }),
    password_expires_at: null,
    links: { self: `${baseOf(incoming)}/users/${user.id}` }
  })

const createUser = (incoming: Incoming): Answer => {
  const { keystone } = incoming.world
  const given = objectAt(incoming.json, "user")
  const refused = checkJson(incoming) ?? checkName(given["name"], 255)
  if (refused !== undefined) return refused
  const name = stringAt(given, "name") ?? ""
  if (Object.values(keystone.users).some((_) => _.name.toLowerCase() === name.toLowerCase())) {
    return keystoneError(
      409,
      "Conflict",
      `Conflict occurred attempting to store user - Duplicate entry found with name ${name} at domain ID default.`
    )
  }
  const user: User = {
    id: newId(),
    name,
    domain_id: stringAt(given, "domain_id") ?? "default",
    description: stringAt(given, "description") ?? null,
    enabled: booleanAt(given, "enabled") ?? true,
    password: stringAt(given, "password") ?? "",
    default_project_id: stringAt(given, "default_project_id") ?? null,
    options: objectAt(given, "options")
  }
  keystone.users[user.id] = user
  return json(201, { user: showUser(incoming)(user) })
}

const listUsers = (incoming: Incoming): Answer => {
  const { query, world } = incoming
  const { keystone } = world
  return json(200, {
    users: Object.values(keystone.users)
      .filter((_) => !query.has("name") || _.name.toLowerCase() === query.get("name")?.toLowerCase())
      .filter((_) => !query.has("domain_id") || _.domain_id === query.get("domain_id"))
      .map(showUser(incoming)),
    links: linksOf(incoming)
  })
}

const ofUser =
  (handler: (incoming: Incoming, user: User) => Answer) =>
  (incoming: Incoming): Answer => {
    const id = incoming.params["id"] ?? ""
    const user = incoming.world.keystone.users[id]
    return user === undefined ? notFound("user", id) : handler(incoming, user)
  }

const updateUser = (incoming: Incoming, user: User): Answer => {
  const { world } = incoming
  const given = objectAt(incoming.json, "user")
  user.name = stringAt(given, "name") ?? user.name
  user.description = stringAt(given, "description") ?? user.description
  user.enabled = booleanAt(given, "enabled") ?? user.enabled
  user.password = stringAt(given, "password") ?? user.password
  if (has(given, "password") || !user.enabled) dropTokens(world, (_) => _.userId === user.id)
  return json(200, { user: showUser(incoming)(user) })
}

const deleteUser = ({ world }: Incoming, user: User): Answer => {
  delete world.keystone.users[user.id]
  world.keystone.grants = world.keystone.grants.filter((_) => _.userId !== user.id)
  dropTokens(world, (_) => _.userId === user.id)
  return empty(204)
}

const grant =
  (method: "PUT" | "HEAD" | "DELETE") =>
  (incoming: Incoming): Answer => {
    const { keystone } = incoming.world
    const { project = "", role = "", user = "" } = incoming.params
    if (keystone.roles[role] === undefined) return notFound("role", role)
    if (keystone.projects[project] === undefined) return notFound("project", project)
    if (keystone.users[user] === undefined) return notFound("user", user)
    const others = keystone.grants.filter((_) => _.projectId !== project || _.userId !== user || _.roleId !== role)
    const granted = others.length < keystone.grants.length
    if (method !== "PUT" && !granted) {
      return notFound(
        "role assignment with role",
        `${role}, user or group: ${user}, project, domain, or system: ${project}`
      )
    }
    if (method === "PUT") keystone.grants = [...others, { projectId: project, userId: user, roleId: role }]
    if (method === "DELETE") {
      keystone.grants = others
      dropTokens(incoming.world, (_) => _.userId === user && _.projectId === project)
    }
    return empty(204)
  }

/** The users of the bootstrap are immutable. */
const immutable: ReadonlySet<string> = new Set(["admin", "manager", "member", "reader"])

const listRoles = (incoming: Incoming): Answer => {
  const { query, world } = incoming
  return json(200, {
    roles: Object.entries(world.keystone.roles)
      .filter(([, name]) => !query.has("name") || name === query.get("name"))
      .map(([id, name]) => ({
        id,
        name,
        domain_id: null,
        description: null,
        options: immutable.has(name) ? { immutable: true } : {},
        links: { self: `${baseOf(incoming)}/roles/${id}` }
      })),
    links: linksOf(incoming)
  })
}

export const userRoutes: Routes = {
  "POST /v3/users": admin("identity:create_user", createUser),
  "GET /v3/users": admin("identity:list_users", listUsers),
  "GET /v3/users/:id": admin(
    "identity:get_user",
    ofUser((incoming, user) => json(200, { user: showUser(incoming)(user) }))
  ),
  "PATCH /v3/users/:id": admin("identity:update_user", ofUser(updateUser)),
  "DELETE /v3/users/:id": admin("identity:delete_user", ofUser(deleteUser)),
  "GET /v3/roles": admin("identity:list_roles", listRoles),
  "PUT /v3/projects/:project/users/:user/roles/:role": admin("identity:create_grant", grant("PUT")),
  "HEAD /v3/projects/:project/users/:user/roles/:role": admin("identity:check_grant", grant("HEAD")),
  "DELETE /v3/projects/:project/users/:user/roles/:role": admin("identity:revoke_grant", grant("DELETE"))
}
