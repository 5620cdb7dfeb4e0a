import { randomUUID } from "node:crypto"
import { fixtures } from "../Fixtures.ts"
import { booleanAt, has, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Answer, empty, type Incoming, json, type Routes } from "../Wire.ts"
import { keystoneError, scoped, type Scope } from "./scope.ts"
import { projectNamed, type Project, type User } from "./state.ts"
import { dropTokens, tokenRoutes } from "./tokens.ts"
import { checkEnabled, checkJson, checkName, checkTags } from "./validation.ts"

const notFound = (kind: string, id: string) => keystoneError(404, "Not Found", `Could not find ${kind}: ${id}.`)
const forbidden = (action: string) =>
  keystoneError(403, "Forbidden", `You are not authorized to perform the requested action: ${action}.`)

/** Every management call is for administrators; a tenant's token gets 403 and learns nothing. */
const admin = (action: string, handler: (incoming: Incoming, scope: Scope) => Answer) =>
  scoped((incoming, scope) => (scope.admin ? handler(incoming, scope) : forbidden(action)))

const newId = () => randomUUID().replaceAll("-", "")

/** Where clients find this API, as Keystone spells its links. */
const baseOf = ({ headers }: Incoming): string => `http://${headers["host"] ?? "localhost"}/identity/v3`

/** A list names itself with the query as it was sent. */
const linksOf = (incoming: Incoming) => {
  const [, query] = incoming.target.split("?")
  const self = `${baseOf(incoming)}${incoming.path.replace("/v3", "")}${query === undefined ? "" : `?${query}`}`
  return { self, previous: null, next: null }
}

/** Of tags alone, the link is that of the whole API. */
const tagLinks = (incoming: Incoming) => ({ self: baseOf(incoming) })

const showProject = (incoming: Incoming) => (_: Project) => ({
  ..._,
  parent_id: _.domain_id,
  is_domain: false,
  options: {},
  links: { self: `${baseOf(incoming)}/projects/${_.id}` }
})

/** What was never said of a user is not shown either. */
const showUser =
  (incoming: Incoming) =>
  ({ default_project_id, description, password: _, ...user }: User) => ({
    ...user,
    ...(default_project_id === null ? {} : { default_project_id }),
    ...(description === null ? {} : { description }),
    password_expires_at: null,
    links: { self: `${baseOf(incoming)}/users/${user.id}` }
  })

// --- projects -------------------------------------------------------------

const createProject = (incoming: Incoming): Answer => {
  const { keystone } = incoming.world
  const given = objectAt(incoming.json, "project")
  const refused =
    checkJson(incoming) ??
    checkName(given["name"], 64) ??
    checkEnabled(given["enabled"]) ??
    checkTags(given["tags"] ?? [], "tags") ??
    checkDomain(given["domain_id"])
  if (refused !== undefined) return refused
  const name = (stringAt(given, "name") ?? "").trim()
  const tags = stringsAt(given, "tags") ?? []
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
  return json(201, { project: showProject(incoming)(project) })
}

/** There is one domain. */
const checkDomain = (id: unknown): Answer | undefined =>
  id === undefined || id === null || id === fixtures.domainId
    ? undefined
    : keystoneError(400, "Bad Request", `Could not find domain: ${String(id)}.`)

const listProjects = (incoming: Incoming): Answer => {
  const { query, world } = incoming
  const { keystone } = world
  const [all, some] = [query.get("tags")?.split(","), query.get("tags-any")?.toLowerCase().split(",")]
  const found = Object.values(keystone.projects)
    .filter((_) => !query.has("name") || _.name.toLowerCase() === query.get("name")?.toLowerCase())
    .filter((_) => !query.has("domain_id") || _.domain_id === query.get("domain_id"))
    .filter((_) => all?.every((tag) => _.tags.includes(tag)) ?? true)
    // This one is the database's to compare, and the database does not look at the case.
    .filter((_) => some === undefined || _.tags.some((tag) => some.includes(tag.toLowerCase())))
  return json(200, { projects: found.map(showProject(incoming)), links: linksOf(incoming) })
}

const ofProject =
  (handler: (incoming: Incoming, project: Project) => Answer) =>
  (incoming: Incoming): Answer => {
    const id = incoming.params["id"] ?? ""
    const project = incoming.world.keystone.projects[id]
    return project === undefined ? notFound("project", id) : handler(incoming, project)
  }

const updateProject = (incoming: Incoming, project: Project): Answer => {
  const { keystone } = incoming.world
  const given = objectAt(incoming.json, "project")
  const name = stringAt(given, "name")?.trim()
  const holder = name === undefined ? undefined : projectNamed(keystone.projects, name)
  if (holder !== undefined && holder.id !== project.id) return keystoneError(409, "Conflict", `Duplicate name ${name}.`)
  project.name = name ?? project.name
  project.description = stringAt(given, "description") ?? project.description
  project.enabled = booleanAt(given, "enabled") ?? project.enabled
  const tags = stringsAt(given, "tags")
  if (tags !== undefined) project.tags = [...tags]
  // Unlike in any other answer, what was said beyond the known attributes is shown, were it nothing.
  return json(200, { project: { ...showProject(incoming)(project), extra: {} } })
}

// What a project holds in other services is orphaned, as it is upstream.
const deleteProject = ({ world }: Incoming, project: Project): Answer => {
  delete world.keystone.projects[project.id]
  world.keystone.grants = world.keystone.grants.filter((_) => _.projectId !== project.id)
  dropTokens(world, (_) => _.projectId === project.id)
  return empty(204)
}

const replaceTags = (incoming: Incoming, project: Project): Answer => {
  const given = objectAt(incoming.json)
  const refused = checkJson(incoming) ?? checkTags(given["tags"] ?? {})
  if (refused !== undefined) return refused
  project.tags = [...(stringsAt(given, "tags") ?? [])]
  return json(200, { tags: project.tags, links: tagLinks(incoming) })
}

const addTag = (incoming: Incoming, project: Project): Answer => {
  const tag = incoming.params["tag"] ?? ""
  const tags = [...project.tags, tag]
  const refused = checkTags(tags)
  if (refused !== undefined) return refused
  project.tags = tags
  return empty(201, {
    "content-type": "text/html; charset=utf-8",
    location: `${baseOf(incoming)}/${project.id}/tags/${tag}`
  })
}

const hasTag = ({ params }: Incoming, project: Project): Answer =>
  project.tags.includes(params["tag"] ?? "") ? empty(204) : notFound("project tag", params["tag"] ?? "")

const clearTags = (_: Incoming, project: Project): Answer => {
  project.tags = []
  return empty(204)
}

const deleteTag = ({ params }: Incoming, project: Project): Answer => {
  if (!project.tags.includes(params["tag"] ?? "")) return notFound("project tag", params["tag"] ?? "")
  project.tags = project.tags.filter((_) => _ !== params["tag"])
  return empty(204)
}

// --- users, roles, grants ---------------------------------------------------

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
      return notFound("role assignment with role", `${role}, user or group: ${user}, project, domain, or system: ${project}`)
    }
    if (method === "PUT") keystone.grants = [...others, { projectId: project, userId: user, roleId: role }]
    if (method === "DELETE") {
      keystone.grants = others
      dropTokens(incoming.world, (_) => _.userId === user && _.projectId === project)
    }
    return empty(204)
  }

/** Those that the bootstrap makes cannot be changed. */
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

/** A tenant's token may look at its own project and nothing else. */
const ownProject = (rule: string, handler: (incoming: Incoming, project: Project) => Answer) =>
  scoped((incoming, scope) =>
    scope.admin || scope.projectId === incoming.params["id"] ? ofProject(handler)(incoming) : forbidden(rule)
  )

export const keystoneRoutes: Routes = {
  ...tokenRoutes,
  "GET /v3/auth/projects": scoped((incoming, { userId }) => {
    const { keystone } = incoming.world
    const held = new Set(keystone.grants.filter((_) => _.userId === userId).map((_) => _.projectId))
    const projects = [...held].flatMap((_) => keystone.projects[_] ?? []).map(showProject(incoming))
    return json(200, { projects, links: linksOf(incoming) })
  }),
  "POST /v3/projects": admin("identity:create_project", createProject),
  "GET /v3/projects": admin("identity:list_projects", listProjects),
  "GET /v3/projects/:id": ownProject("identity:get_project", (incoming, project) =>
    json(200, { project: showProject(incoming)(project) })
  ),
  "PATCH /v3/projects/:id": admin("identity:update_project", ofProject(updateProject)),
  "DELETE /v3/projects/:id": admin("identity:delete_project", ofProject(deleteProject)),
  "GET /v3/projects/:id/tags": ownProject("identity:list_project_tags", (incoming, project) =>
    json(200, { tags: project.tags, links: tagLinks(incoming) })
  ),
  "DELETE /v3/projects/:id/tags": admin("identity:delete_project_tags", ofProject(clearTags)),
  "GET /v3/projects/:id/tags/:tag": ownProject("identity:get_project_tag", hasTag),
  "PUT /v3/projects/:id/tags": admin("identity:update_project_tags", ofProject(replaceTags)),
  "PUT /v3/projects/:id/tags/:tag": admin("identity:create_project_tag", ofProject(addTag)),
  "DELETE /v3/projects/:id/tags/:tag": admin("identity:delete_project_tag", ofProject(deleteTag)),
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
