import { fixtures } from "../Fixtures.ts"
import { booleanAt, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type Answer, empty, type Incoming, json, type Routes } from "../Wire.ts"
import { admin, baseOf, forbidden, linksOf, newId, notFound, tagLinks } from "./answers.ts"
import { keystoneError, scoped } from "./scope.ts"
import { projectNamed, type Project } from "./state.ts"
import { dropTokens } from "./tokens.ts"
import { checkEnabled, checkJson, checkName, checkTags } from "./validation.ts"

const showProject = (incoming: Incoming) => (_: Project) => ({
  ..._,
  parent_id: _.domain_id,
  is_domain: false,
  options: {},
  links: { self: `${baseOf(incoming)}/projects/${_.id}` }
})

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
    // The database compares this filter, case-insensitively.
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
  // Only this answer shows `extra`, the attributes beyond the known ones, even when there are none.
  return json(200, { project: { ...showProject(incoming)(project), extra: {} } })
}

// The project's resources in other services are orphaned, as upstream.
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

/** A tenant's token may read only its own project. */
const ownProject = (rule: string, handler: (incoming: Incoming, project: Project) => Answer) =>
  scoped((incoming, scope) =>
    scope.admin || scope.projectId === incoming.params["id"] ? ofProject(handler)(incoming) : forbidden(rule)
  )

export const projectRoutes: Routes = {
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
  "DELETE /v3/projects/:id/tags/:tag": admin("identity:delete_project_tag", ofProject(deleteTag))
}
