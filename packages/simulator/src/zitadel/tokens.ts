import { randomBytes } from "node:crypto"
import { fixtures } from "../Fixtures.ts"
import { entry } from "../Json.ts"
import type { Answer, Handler, Incoming } from "../Wire.ts"
import type { World } from "../World.ts"
import { permissionDenied, unauthenticated } from "./errors.ts"
import { newId } from "./proto.ts"
import type { Token } from "./state.ts"

/** Stock lifetimes of an instance. */
export const accessTokenSeconds = 12 * 60 * 60
const refreshTokenSeconds = 30 * 24 * 60 * 60

export const projectsRolesScope = "urn:zitadel:iam:org:projects:roles"
export const projectRolePrefix = "urn:zitadel:iam:org:project:role:"
export const audienceScope = (projectId: string): string => `urn:zitadel:iam:org:project:id:${projectId}:aud`

/** The scopes of a user's login. */
const humanScopes: ReadonlyArray<string> = [
  "openid",
  "profile",
  "email",
  projectsRolesScope,
  audienceScope(fixtures.idp.projectId)
]

/** The projects that scopes add to the audience; `zitadel` means its own API. */
const audienceOf = (scopes: ReadonlyArray<string>): ReadonlyArray<string> =>
  scopes.flatMap((scope) => /^urn:zitadel:iam:org:project:id:([^:]+):aud$/.exec(scope)?.slice(1) ?? [])

export interface Issue {
  readonly userId: string
  readonly clientId: string
  readonly scopes: ReadonlyArray<string>
  /** The audience in addition to the projects of the scopes. */
  readonly audience: ReadonlyArray<string>
  readonly refresh: boolean
}

export const newSecret = (): string => randomBytes(32).toString("base64url")

export const issue = (world: World, now: number, { audience, clientId, refresh, scopes, userId }: Issue): Token => {
  const { tokens } = world.zitadel
  for (const old of Object.values(tokens)) {
    if ((old.refresh?.expiresAt ?? old.expiresAt) <= now) delete tokens[old.accessToken]
  }
  const token: Token = {
    id: `V2_${newId(world)}-at_${newId(world)}`,
    accessToken: newSecret(),
    userId,
    clientId,
    scopes,
    audience: [...new Set([...audience, ...audienceOf(scopes)])],
    createdAt: now,
    expiresAt: now + accessTokenSeconds * 1000,
    refresh: refresh ? { token: newSecret(), expiresAt: now + refreshTokenSeconds * 1000 } : null
  }
  tokens[token.accessToken] = token
  return token
}

/**
 * The access token of a user after a login with the command line; undefined when the user does not exist or may
 * not log in.
 */
export const issueAccessToken = (
  world: World,
  userId: string,
  now: number,
  scopes: ReadonlyArray<string> = humanScopes,
  clientId: string = defaultClientId(world)
): string | undefined =>
  world.zitadel.users[userId]?.state === "USER_STATE_ACTIVE"
    ? issue(world, now, { userId, clientId, scopes, audience: [clientId], refresh: false }).accessToken
    : undefined

const defaultClientId = (world: World): string =>
  Object.values(world.zitadel.applications).find((_) => _.type === "native")?.clientId ?? ""

/** Deactivating, locking and deleting a user end all of its tokens, permanently. */
export const endTokens = ({ zitadel }: World, userId: string): void => {
  for (const token of Object.values(zitadel.tokens)) {
    if (token.userId === userId) delete zitadel.tokens[token.accessToken]
  }
  for (const pat of Object.values(zitadel.pats)) if (pat.userId === userId) pat.alive = false
}

/** The user of a valid bearer token. */
export interface Presented {
  readonly tokenId: string
  readonly userId: string
  /** Empty for a personal access token. */
  readonly clientId: string
  readonly scopes: ReadonlyArray<string>
  readonly audience: ReadonlyArray<string>
  readonly createdAt: number
  readonly expiresAt: number
  readonly isPat: boolean
}

export const present = ({ zitadel }: World, now: number, value: string): Presented | undefined => {
  const token = entry(zitadel.tokens, value)
  const pat = token ?? Object.values(zitadel.pats).find((_) => _.alive && _.token === value)
  if (pat === undefined || pat.expiresAt <= now) return undefined
  if (zitadel.users[pat.userId]?.state !== "USER_STATE_ACTIVE") return undefined
  const { createdAt, expiresAt, id: tokenId, scopes, userId } = pat
  const { audience, clientId } = token ?? { audience: [], clientId: "" }
  return { tokenId, userId, clientId, scopes, audience, createdAt, expiresAt, isPat: token === undefined }
}

/** The user of a request's Bearer, if its token is for Zitadel itself; or the refusal. */
export const callerOf = ({ headers, now, world }: Incoming): Presented | Answer => {
  const [scheme = "", value = ""] = (headers["authorization"] ?? "").split(" ")
  if (scheme.toLowerCase() !== "bearer" || value === "") return unauthenticated("AUTH-eh3Gs", "auth header missing")
  const presented = present(world, now, value)
  return presented === undefined || (!presented.isPat && !presented.audience.includes("zitadel"))
    ? unauthenticated("AUTH-7fs1e", "Errors.Token.Invalid")
    : presented
}

/** The organization that a request is about. */
export const orgOf = ({ headers }: Incoming): string => headers["x-zitadel-orgid"] ?? fixtures.idp.orgId

/**
 * A route of the management API: 401 without a valid token, 403 for a user that manages nothing. A token other
 * than a personal access token must have Zitadel itself in its audience.
 */
export const managed =
  (handler: (incoming: Incoming) => Answer): Handler =>
  (incoming) => {
    const caller = callerOf(incoming)
    if (!("userId" in caller)) return caller
    if (incoming.world.zitadel.members[caller.userId] === undefined || orgOf(incoming) !== fixtures.idp.orgId) {
      return permissionDenied("AUTHZ-cdgFk", "membership not found")
    }
    return handler(incoming)
  }
