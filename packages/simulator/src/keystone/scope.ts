import { json, type Answer, type Handler, type Incoming } from "../Wire.ts"
import type { World } from "../World.ts"
import type { Scope } from "./state.ts"

export const keystoneError = (code: number, title: string, message: string): Answer =>
  json(code, { error: { code, title, message } })

export const badRequest = (message: string): Answer => keystoneError(400, "Bad Request", message)

/** Leaks the internal identity address, as it does upstream. */
export const challenge = { "www-authenticate": 'Keystone uri="http://identity.internal:5000/v3"' }

/** The 401 of nearly every service's token middleware. */
export const unauthorized = (): Answer =>
  json(
    401,
    { error: { code: 401, title: "Unauthorized", message: "The request you have made requires authentication." } },
    challenge
  )

const implied: Readonly<Record<string, ReadonlyArray<string>>> = {
  admin: ["manager", "member", "reader"],
  manager: ["member", "reader"],
  member: ["reader"]
}

export const rolesOn = (world: World, userId: string, projectId: string): ReadonlyArray<string> => {
  const direct = world.keystone.grants
    .filter((_) => _.userId === userId && _.projectId === projectId)
    .map((_) => world.keystone.roles[_.roleId] ?? "")
  return [...new Set(direct.flatMap((role) => [role, ...(implied[role] ?? [])]))]
}

/** The scope of a token; undefined when the token is unknown or expired, or its user, project or roles are gone. */
export const scopeOf = (
  { now, world }: Pick<Incoming, "now" | "world">,
  tokenId: string | undefined
): Scope | undefined => {
  const token = tokenId === undefined ? undefined : world.keystone.tokens[tokenId]
  if (token === undefined || token.expiresAt <= now) return undefined
  const user = world.keystone.users[token.userId]
  const project = world.keystone.projects[token.projectId]
  if (user?.enabled !== true || project?.enabled !== true) return undefined
  const roles = rolesOn(world, token.userId, token.projectId)
  if (roles.length === 0) return undefined
  return { userId: token.userId, projectId: token.projectId, roles, admin: roles.includes("admin") }
}

/** A route behind the token middleware: 401 without a valid `X-Auth-Token`, else the handler with its scope. */
export const scoped =
  (handler: (incoming: Incoming, scope: Scope) => Answer): Handler =>
  (incoming) => {
    const scope = scopeOf(incoming, incoming.headers["x-auth-token"])
    return scope === undefined ? unauthorized() : handler(incoming, scope)
  }
