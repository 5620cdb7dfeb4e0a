import { randomUUID } from "node:crypto"
import { booleanAt, has, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Answer, empty, type Incoming, json, type Routes } from "../Wire.ts"
import { badRequest, keystoneError, scoped, type Scope } from "./scope.ts"
import { projectNamed, type Project, type User } from "./state.ts"
import { dropTokens, tokenRoutes } from "./tokens.ts"

const notFound = (kind: string, id: string) => keystoneError(404, "Not Found", `Could not find ${kind}: ${id}.`)
const forbidden = (action: string) =>
  keystoneError(403, "Forbidden", `You are not authorized to perform the requested action: ${action}.`)

/** Every management call is for administrators; a tenant's token gets 403 and learns nothing. */
const admin = (action: string, handler: (incoming: Incoming, scope: Scope) => Answer) =>
  scoped((incoming, scope) => (scope.admin ? handler(incoming, scope) : forbidden(action)))

const newId = () => randomUUID().replaceAll("-", "")

const showProject = (_: Project) => ({
  ..._,
  parent_id: _.domain_id,
  is_domain: false,
  options: {},
  links: { self: `/v3/projects/${_.id}` }
})
const showUser = ({ password: _, ...user }: User) => ({
  ...user,
  password_expires_at: null,
  links: { self: `/v3/users/${user.id}` }
})

// --- projects -------------------------------------------------------------

const createProject = ({ json: body, world: { keystone } }: Incoming): Answer => {
  const given = objectAt(body, "project")
  const name = stringAt(given, "name")?.trim()
  if (name === undefined || name === "" || name.length > 64) return badRequest("Invalid input for field 'name'.")
  const tags = stringsAt(given, "tags") ?? []
  const refused = checkTags(tags)
  if (refused !== undefined) return refused
  const id = newId()
  if (projectNamed(keystone.projects, name) !== undefined) {
    return keystoneError(
      409,
      "Conflict",
      "Conflict occurred attempting to store project - it is not permitted to have two projects with either the " +
        `same name or same id in the same domain: name is ${name}, project id ${id}.`
    )
  }
  const project: Project = {
    id,
    name,
    domain_id: stringAt(given, "domain_id") ?? "default",
    description: stringAt(given, "description") ?? "",
    enabled: booleanAt(given, "enabled") ?? true,
    tags: [...tags]
  }
  keystone.projects[id] = project
  return json(201, { project: showProject(project) })
}

const checkTags = (tags: ReadonlyArray<string>): Answer | undefined => {
  if (new Set(tags).size !== tags.length) return badRequest("Invalid input for field 'tags': has non-unique elements")
  if (tags.length > 80) return badRequest("Invalid input for field 'tags': is too long")
  const wrong = tags.find((_) => _ === "" || _.length > 255 || /[,/]/.test(_))
  return wrong === undefined ? undefined : badRequest(`Invalid input for field 'tags/0': '${wrong}' does not match`)
}

const listProjects = ({ query, world: { keystone } }: Incoming): Answer => {
  const list = (key: string) => query.get(key)?.split(",")
  const [all, some] = [list("tags"), list("tags-any")]
  const found = Object.values(keystone.projects)
    .filter((_) => !query.has("name") || _.name.toLowerCase() === query.get("name")?.toLowerCase())
    .filter((_) => !query.has("domain_id") || _.domain_id === query.get("domain_id"))
    .filter((_) => all?.every((tag) => _.tags.includes(tag)) ?? true)
    .filter((_) => some?.some((tag) => _.tags.includes(tag)) ?? true)
  return json(200, { projects: found.map(showProject), links: { self: "/v3/projects", previous: null, next: null } })
}

const ofProject =
  (handler: (incoming: Incoming, project: Project) => Answer) =>
  (incoming: Incoming): Answer => {
    const id = incoming.params["id"] ?? ""
    const project = incoming.world.keystone.projects[id]
    return project === undefined ? notFound("project", id) : handler(incoming, project)
  }

const updateProject = ({ json: body, world: { keystone } }: Incoming, project: Project): Answer => {
  const given = objectAt(body, "project")
  const name = stringAt(given, "name")?.trim()
  const holder = name === undefined ? undefined : projectNamed(keystone.projects, name)
  if (holder !== undefined && holder.id !== project.id) return keystoneError(409, "Conflict", `Duplicate name ${name}.`)
  project.name = name ?? project.name
  project.description = stringAt(given, "description") ?? project.description
  project.enabled = booleanAt(given, "enabled") ?? project.enabled
  const tags = stringsAt(given, "tags")
  if (tags !== undefined) project.tags = [...tags]
  return json(200, { project: showProject(project) })
}

// What a project holds in other services is orphaned, as it is upstream.
const deleteProject = ({ world }: Incoming, project: Project): Answer => {
  delete world.keystone.projects[project.id]
  world.keystone.grants = world.keystone.grants.filter((_) => _.projectId !== project.id)
  dropTokens(world, (_) => _.projectId === project.id)
  return empty(204)
}

const replaceTags = ({ json: body }: Incoming, project: Project): Answer => {
  const tags = stringsAt(objectAt(body), "tags") ?? []
  const refused = checkTags(tags)
  if (refused !== undefined) return refused
  project.tags = [...tags]
  return json(200, { tags: project.tags, links: {} })
}

const addTag = ({ params }: Incoming, project: Project): Answer => {
  const tags = [...project.tags, params["tag"] ?? ""]
  const refused = checkTags(tags)
  if (refused !== undefined) return refused
  project.tags = tags
  return empty(201)
}

const deleteTag = ({ params }: Incoming, project: Project): Answer => {
  if (!project.tags.includes(params["tag"] ?? "")) return notFound("project tag", params["tag"] ?? "")
  project.tags = project.tags.filter((_) => _ !== params["tag"])
  return empty(204)
}

// --- users, roles, grants ---------------------------------------------------

const createUser = ({ json: body, world: { keystone } }: Incoming): Answer => {
  const given = objectAt(body, "user")
  const name = stringAt(given, "name")
  if (name === undefined || name === "") return badRequest("'name' is a required property")
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
    description: stringAt(given, "description") ?? "",
    enabled: booleanAt(given, "enabled") ?? true,
    password: stringAt(given, "password") ?? "",
    default_project_id: stringAt(given, "default_project_id") ?? null,
    options: objectAt(given, "options")
  }
  keystone.users[user.id] = user
  return json(201, { user: showUser(user) })
}

const listUsers = ({ query, world: { keystone } }: Incoming): Answer =>
  json(200, {
    users: Object.values(keystone.users)
      .filter((_) => !query.has("name") || _.name.toLowerCase() === query.get("name")?.toLowerCase())
      .filter((_) => !query.has("domain_id") || _.domain_id === query.get("domain_id"))
      .map(showUser),
    links: { self: "/v3/users", previous: null, next: null }
  })

const ofUser =
  (handler: (incoming: Incoming, user: User) => Answer) =>
  (incoming: Incoming): Answer => {
    const id = incoming.params["id"] ?? ""
    const user = incoming.world.keystone.users[id]
    return user === undefined ? notFound("user", id) : handler(incoming, user)
  }

const updateUser = ({ json: body, world }: Incoming, user: User): Answer => {
  const given = objectAt(body, "user")
  user.name = stringAt(given, "name") ?? user.name
  user.description = stringAt(given, "description") ?? user.description
  user.enabled = booleanAt(given, "enabled") ?? user.enabled
  user.password = stringAt(given, "password") ?? user.password
  if (has(given, "password") || !user.enabled) dropTokens(world, (_) => _.userId === user.id)
  return json(200, { user: showUser(user) })
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
    if (keystone.projects[project] === undefined) return notFound("project", project)
    if (keystone.users[user] === undefined) return notFound("user", user)
    if (keystone.roles[role] === undefined) return notFound("role", role)
    const others = keystone.grants.filter((_) => _.projectId !== project || _.userId !== user || _.roleId !== role)
    const granted = others.length < keystone.grants.length
    if (method !== "PUT" && !granted) return notFound("role assignment with role", role)
    if (method === "PUT") keystone.grants = [...others, { projectId: project, userId: user, roleId: role }]
    if (method === "DELETE") {
      keystone.grants = others
      dropTokens(incoming.world, (_) => _.userId === user && _.projectId === project)
    }
    return empty(204)
  }

const listRoles = ({ query, world: { keystone } }: Incoming): Answer =>
  json(200, {
    roles: Object.entries(keystone.roles)
      .filter(([, name]) => !query.has("name") || name === query.get("name"))
      .map(([id, name]) => ({ id, name, domain_id: null, links: { self: `/v3/roles/${id}` } })),
    links: { self: "/v3/roles", previous: null, next: null }
  })

/** A tenant's token may look at its own project and nothing else. */
const ownProject = (handler: (incoming: Incoming, project: Project) => Answer) =>
  scoped((incoming, scope) =>
    scope.admin || scope.projectId === incoming.params["id"]
      ? ofProject(handler)(incoming)
      : forbidden("identity:get_project")
  )

export const keystoneRoutes: Routes = {
  ...tokenRoutes,
  "GET /v3/auth/projects": scoped(({ world: { keystone } }, { userId }) =>
    json(200, {
      projects: keystone.grants
        .filter((_) => _.userId === userId)
        .flatMap((_) => keystone.projects[_.projectId] ?? [])
        .map(showProject)
    })
  ),
  "POST /v3/projects": admin("identity:create_project", createProject),
  "GET /v3/projects": admin("identity:list_projects", listProjects),
  "GET /v3/projects/:id": ownProject((_, project) => json(200, { project: showProject(project) })),
  "PATCH /v3/projects/:id": admin("identity:update_project", ofProject(updateProject)),
  "DELETE /v3/projects/:id": admin("identity:delete_project", ofProject(deleteProject)),
  "GET /v3/projects/:id/tags": ownProject((_, project) => json(200, { tags: project.tags, links: {} })),
  "PUT /v3/projects/:id/tags": admin("identity:update_project_tags", ofProject(replaceTags)),
  "PUT /v3/projects/:id/tags/:tag": admin("identity:create_project_tag", ofProject(addTag)),
  "DELETE /v3/projects/:id/tags/:tag": admin("identity:delete_project_tag", ofProject(deleteTag)),
  "POST /v3/users": admin("identity:create_user", createUser),
  "GET /v3/users": admin("identity:list_users", listUsers),
  "GET /v3/users/:id": admin(
    "identity:get_user",
    ofUser((_, user) => json(200, { user: showUser(user) }))
  ),
  "PATCH /v3/users/:id": admin("identity:update_user", ofUser(updateUser)),
  "DELETE /v3/users/:id": admin("identity:delete_user", ofUser(deleteUser)),
  "GET /v3/roles": admin("identity:list_roles", listRoles),
  "PUT /v3/projects/:project/users/:user/roles/:role": admin("identity:create_grant", grant("PUT")),
  "HEAD /v3/projects/:project/users/:user/roles/:role": admin("identity:check_grant", grant("HEAD")),
  "DELETE /v3/projects/:project/users/:user/roles/:role": admin("identity:revoke_grant", grant("DELETE"))
}
