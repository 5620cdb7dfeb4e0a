import { fixtures } from "../Fixtures.ts"
import { entry } from "../Json.ts"
import { type Answer, type Incoming, json, originOf } from "../Wire.ts"
import type { World } from "../World.ts"
import { credentialsOf, formOf, invalidClient } from "./clients.ts"
import { oauthError } from "./errors.ts"
import { message } from "./proto.ts"
import { type Application, primaryDomain, type User } from "./state.ts"
import { present, type Presented, projectRolePrefix, projectsRolesScope } from "./tokens.ts"

/** The issuer is the origin of the request. */
export const issuerOf = (incoming: Incoming): string => `${originOf(incoming)}/idp`

/** RFC 7662, for API applications only. Every invalid token gets the same answer. */
export const introspect = (incoming: Incoming): Answer => {
  const client = apiOf(incoming)
  if (client === undefined) return invalidClient()
  const value = formOf(incoming).get("token") ?? ""
  if (value === "") return oauthError("invalid_request", "token missing")
  const found = present(incoming.world, incoming.now, value)
  const token = found?.isPat === true ? asPat(incoming.world, found, client) : found
  const user = token && incoming.world.zitadel.users[token.userId]
  if (token === undefined || user === undefined) return inactive()
  if (!token.audience.includes(client.clientId) && !token.audience.includes(client.projectId)) return inactive()
  return json(200, {
    active: true,
    ...message({ scope: token.scopes.join(" "), client_id: token.clientId }),
    token_type: "Bearer",
    exp: Math.floor(token.expiresAt / 1000),
    iat: Math.floor(token.createdAt / 1000),
    nbf: Math.floor(token.createdAt / 1000),
    sub: token.userId,
    aud: token.audience,
    iss: issuerOf(incoming),
    jti: token.tokenId,
    ...person(user, token.scopes),
    ...roleClaims(incoming.world, token, client.projectId)
  })
}

const inactive = () => json(200, { active: false })

const apiOf = (incoming: Incoming): Application | undefined => {
  const given = incoming.headers["authorization"] === undefined ? undefined : credentialsOf(incoming)
  const application = entry(incoming.world.zitadel.applications, given?.clientId)
  return application?.type === "api" && application.clientSecret === given?.clientSecret ? application : undefined
}

/** A personal access token is valid for every application, with all roles of its project. */
const asPat = ({ zitadel }: World, token: Presented, { clientId, projectId }: Application): Presented => ({
  ...token,
  audience: [clientId],
  scopes: [...token.scopes, ...(zitadel.projects[projectId]?.roleKeys ?? []).map((_) => projectRolePrefix + _)]
})

const person = (user: User, scopes: ReadonlyArray<string>) => ({
  ...(scopes.includes("profile")
    ? {
        username: user.userName,
        preferred_username: user.userName,
        name: user.type === "TYPE_HUMAN" ? user.displayName : user.name
      }
    : {}),
  ...(scopes.includes("email") && user.type === "TYPE_HUMAN"
    ? message({ email: user.email, email_verified: user.isEmailVerified })
    : {})
})

/** Roles come from the present grants, not from the token. Without a role there is no claim. */
const roleClaims = ({ zitadel }: World, token: Presented, projectId: string) => {
  const asked = token.scopes
    .filter((_) => _.startsWith(projectRolePrefix))
    .map((_) => _.slice(projectRolePrefix.length))
  const all = asked.length === 0 && token.scopes.includes(projectsRolesScope)
  const held = Object.values(zitadel.grants)
    .filter((_) => _.userId === token.userId && _.projectId === projectId && _.state === "USER_GRANT_STATE_ACTIVE")
    .flatMap((_) => _.roleKeys)
    .filter((_) => all || asked.includes(_))
  if (held.length === 0) return {}
  const roles = Object.fromEntries(held.map((_) => [_, { [fixtures.idp.orgId]: primaryDomain }]))
  return {
    "urn:zitadel:iam:org:project:roles": roles,
    [`urn:zitadel:iam:org:project:${projectId}:roles`]: roles
  }
}
