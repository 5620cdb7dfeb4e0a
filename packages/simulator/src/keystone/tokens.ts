import { randomBytes } from "node:crypto"
import { objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, type Incoming, json, type Routes } from "../Wire.ts"
import { toMicrosUtc } from "../times.ts"
import { catalogOf } from "./catalog.ts"
import { keystoneError, rolesOn, scopeOf, scoped, unauthorized } from "./scope.ts"
import { projectNamed, type Token } from "./state.ts"
import { checkAuth, checkJson } from "./validation.ts"

const authenticate = (incoming: Incoming): Answer => {
  const { now, world } = incoming
  const { keystone } = world
  const malformed = checkJson(incoming) ?? checkAuth(incoming)
  if (malformed !== undefined) return malformed
  const identity = objectAt(incoming.json, "auth", "identity")
  const given = objectAt(identity, "password", "user")
  const id = stringAt(given, "id")
  const user =
    id === undefined
      ? Object.values(keystone.users).find((_) => _.name === stringAt(given, "name"))
      : keystone.users[id]
  const scope = objectAt(incoming.json, "auth", "scope", "project")
  const projectId = stringAt(scope, "id") ?? projectNamed(keystone.projects, stringAt(scope, "name"))?.id
  const project = projectId === undefined ? undefined : keystone.projects[projectId]
  // A wrong password, a disabled user, a missing project and a missing role all answer the same 401.
  if (user?.enabled !== true || user.password !== stringAt(given, "password")) return unauthorized()
  if (project?.enabled !== true || rolesOn(world, user.id, project.id).length === 0) return unauthorized()
  const token: Token = {
    id: `gAAAAA${randomBytes(48).toString("base64url")}`,
    userId: user.id,
    projectId: project.id,
    issuedAt: now,
    expiresAt: now + keystone.tokenSeconds * 1000
  }
  keystone.tokens[token.id] = token
  return json(201, { token: showToken(incoming, token) }, { "x-subject-token": token.id })
}

/** With `nocatalog` in the query, whatever its value, the token comes without the catalog. */
const showToken = (incoming: Incoming, token: Token) => {
  const { query, world } = incoming
  const user = world.keystone.users[token.userId]
  const project = world.keystone.projects[token.projectId]
  return {
    methods: ["password"],
    user: { id: token.userId, name: user?.name, domain: { id: user?.domain_id, name: "Default" } },
    project: { id: token.projectId, name: project?.name, domain: { id: project?.domain_id, name: "Default" } },
    roles: rolesOn(world, token.userId, token.projectId).map((name) => ({ name })),
    audit_ids: [],
    ...(query.has("nocatalog") ? {} : { catalog: catalogOf(incoming, token.projectId) }),
    issued_at: toMicrosUtc(token.issuedAt),
    expires_at: toMicrosUtc(token.expiresAt)
  }
}

const subject = (handler: (incoming: Incoming, token: Token) => Answer) =>
  scoped((incoming) => {
    const id = incoming.headers["x-subject-token"]
    const token = id === undefined ? undefined : incoming.world.keystone.tokens[id]
    if (token !== undefined && scopeOf(incoming, id) !== undefined) return handler(incoming, token)
    const message = id?.startsWith("gAAAAA") === true ? "Failed to validate token" : "Could not recognize Fernet token"
    return keystoneError(404, "Not Found", message)
  })

/** Revokes tokens, after a deletion, a disabling or a password change. */
export const dropTokens = ({ keystone }: Incoming["world"], dead: (token: Token) => boolean) => {
  for (const token of Object.values(keystone.tokens)) if (dead(token)) delete keystone.tokens[token.id]
}

export const tokenRoutes: Routes = {
  "POST /v3/auth/tokens": authenticate,
  "GET /v3/auth/tokens": subject((incoming, token) =>
    json(200, { token: showToken(incoming, token) }, { "x-subject-token": token.id })
  ),
  "DELETE /v3/auth/tokens": subject(({ world }, token) => {
    dropTokens(world, (_) => _.id === token.id)
    return empty(204)
  })
}
