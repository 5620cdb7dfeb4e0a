import { createHash } from "node:crypto"
import { entry } from "../Json.ts"
import type { Answer, Incoming } from "../Wire.ts"
import { formOf, invalidClient } from "./clients.ts"
import { oauthError } from "./errors.ts"
import { idTokenOf } from "./idTokens.ts"
import { publicClientOf } from "./login.ts"
import { clientCredentials, tokenAnswer } from "./oauth.ts"
import type { Application } from "./state.ts"
import { issue } from "./tokens.ts"

const invalidGrant = (description: string) => oauthError("invalid_grant", description)

/** The grants of public clients: exchange a code for tokens. */
const ofPublic =
  (exchange: (incoming: Incoming, client: Application, form: URLSearchParams) => Answer) =>
  (incoming: Incoming): Answer => {
    const form = formOf(incoming)
    const client = publicClientOf(incoming.world, form.get("client_id"))
    return client === undefined ? invalidClient() : exchange(incoming, client, form)
  }

/** A login always has the scope `openid`, which brings an ID token. */
const login = (
  incoming: Incoming,
  { clientId }: Application,
  userId: string | null,
  scopes: ReadonlyArray<string>,
  nonce: string | null
): Answer => {
  const { now, world } = incoming
  const user = entry(world.zitadel.users, userId ?? undefined)
  if (user?.state !== "USER_STATE_ACTIVE") return invalidGrant("Errors.User.NotActive")
  const refresh = scopes.includes("offline_access")
  const token = issue(world, now, { userId: user.id, clientId, scopes, audience: [clientId], refresh })
  return tokenAnswer(token, idTokenOf(incoming, token, nonce))
}

/** A code can be used once; a failed attempt uses it too. */
const authorizationCode = ofPublic((incoming, client, form) => {
  const { now, world } = incoming
  const code = entry(world.zitadel.authCodes, form.get("code") ?? undefined)
  if (code === undefined || code.clientId !== client.clientId) return invalidGrant("invalid code")
  delete world.zitadel.authCodes[code.code]
  if (code.expiresAt <= now) return invalidGrant("code expired")
  if (code.redirectUri !== form.get("redirect_uri")) return invalidGrant("redirect_uri does not correspond")
  const verifier = form.get("code_verifier") ?? ""
  const challenge = createHash("sha256").update(verifier).digest("base64url")
  if (!/^[\w.~-]{43,128}$/.test(verifier) || challenge !== code.codeChallenge) {
    return invalidGrant("invalid code verifier")
  }
  return login(incoming, client, code.userId, code.scopes, code.nonce)
})

/** RFC 8628 section 3.5. A client that polls too early must wait five seconds longer from then on. */
const deviceCode = ofPublic((incoming, client, form) => {
  const { now, world } = incoming
  const code = entry(world.zitadel.deviceCodes, form.get("device_code") ?? undefined)
  if (code === undefined || code.clientId !== client.clientId) return invalidGrant("invalid device code")
  if (code.expiresAt <= now) return oauthError("expired_token", "The device code has expired.")
  const early = code.polledAt !== null && now - code.polledAt < code.intervalSeconds * 1000
  code.polledAt = now
  if (early) {
    code.intervalSeconds += 5
    return oauthError("slow_down", "Polling should be slowed down.")
  }
  if (code.decision === "pending") return oauthError("authorization_pending", "The user has not decided yet.")
  if (code.decision === "denied") return oauthError("access_denied", "The user denied the request.")
  delete world.zitadel.deviceCodes[code.deviceCode]
  return login(incoming, client, code.userId, code.scopes, null)
})

/** Rotation: a refresh token can be used once, and its access token ends with it. */
const refreshToken = ofPublic((incoming, client, form) => {
  const { now, world } = incoming
  const given = form.get("refresh_token") ?? ""
  const old = Object.values(world.zitadel.tokens).find((_) => _.refresh?.token === given)
  if (old?.refresh == null || old.clientId !== client.clientId || old.refresh.expiresAt <= now) {
    return invalidGrant("Errors.OIDCSession.RefreshTokenInvalid")
  }
  const asked = (form.get("scope") ?? "").split(" ").filter((_) => _ !== "")
  if (!asked.every((_) => old.scopes.includes(_))) return oauthError("invalid_scope", "more than was granted")
  delete world.zitadel.tokens[old.accessToken]
  const { audience, clientId, userId } = old
  const scopes = asked.length === 0 ? old.scopes : asked
  const token = issue(world, now, { userId, clientId, audience, scopes, refresh: true })
  return tokenAnswer(token, scopes.includes("openid") ? idTokenOf(incoming, token, null) : undefined)
})

const exchanges: Readonly<Record<string, (incoming: Incoming) => Answer>> = {
  client_credentials: clientCredentials,
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  "urn:ietf:params:oauth:grant-type:device_code": deviceCode
}

export const token = (incoming: Incoming): Answer => {
  const type = formOf(incoming).get("grant_type") ?? ""
  if (type === "") return oauthError("invalid_request", "grant_type missing")
  return entry(exchanges, type)?.(incoming) ?? oauthError("unsupported_grant_type", `${type} not supported`)
}
