import { fixtures } from "../Fixtures.ts"
import { type Answer, type Incoming, json } from "../Wire.ts"
import type { World } from "../World.ts"
import { credentialsOf, formOf, invalidClient } from "./clients.ts"
import { oauthError } from "./errors.ts"
import { at, message } from "./proto.ts"
import { type Application, primaryDomain, type User } from "./state.ts"
import { present, type Presented, projectRolePrefix, projectsRolesScope } from "./tokens.ts"

/** Where a client reached us is who we say we are. */
export const issuerOf = ({ headers }: Incoming): string => `http://${headers["host"] ?? "localhost"}/idp`

/** RFC 7662, for API applications alone. Every token that is not good for the caller gets the same two words. */
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
  const application = at(incoming.world.zitadel.applications, given?.clientId)
  return application?.type === "api" && application.clientSecret === given?.clientSecret ? application : undefined
}

/** A personal access token is good for whichever application asks, with every role of that one's project. */
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

/** Roles come from the grants of this moment, not from the token. No role, no claim. */
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
