import { entry } from "../Json.ts"
import { type Answer, empty, type Incoming, isAnswer, json } from "../Wire.ts"
import { credentialsOf, formOf, invalidClient } from "./clients.ts"
import { oauthError } from "./errors.ts"
import { issuerOf } from "./introspect.ts"
import type { Machine, Token } from "./state.ts"
import { accessTokenSeconds, issue } from "./tokens.ts"

/** Unknown scopes are dropped without an error; `openid` must be among the known ones. */
export const scopesOf = (text: string | null): ReadonlyArray<string> | Answer => {
  const scopes = (text ?? "").split(" ").filter((_) => _ !== "")
  if (scopes.length === 0) return oauthError("invalid_request", "The scope of your request is missing.")
  const known = scopes.filter((_) => _.startsWith("urn:zitadel:iam:") || openidScopes.includes(_))
  return known.includes("openid")
    ? [...new Set(known)]
    : oauthError("invalid_scope", "The scope openid is missing in your request.")
}

const openidScopes: ReadonlyArray<string> = ["openid", "profile", "email", "phone", "address", "offline_access"]

/** `expires_in` is one less than the lifetime: the whole seconds that remain when the answer is written. */
export const tokenAnswer = ({ accessToken, refresh, scopes }: Token, idToken?: string): Answer =>
  json(
    200,
    {
      access_token: accessToken,
      token_type: "Bearer",
      ...(refresh === null ? {} : { refresh_token: refresh.token }),
      expires_in: accessTokenSeconds - 1,
      ...(idToken === undefined ? {} : { id_token: idToken }),
      scope: scopes.join(" ")
    },
    { "cache-control": "no-store", pragma: "no-cache" }
  )

/** The machine user of the request's credentials. */
const machineOf = (incoming: Incoming): Machine | undefined => {
  const given = credentialsOf(incoming)
  const user = Object.values(incoming.world.zitadel.users).find((_) => _.userName === given?.clientId)
  if (user?.type !== "TYPE_MACHINE" || user.clientSecret === null) return undefined
  return user.clientSecret === given?.clientSecret ? user : undefined
}

/** The client credentials grant of a machine user. There is no refresh token. */
export const clientCredentials = (incoming: Incoming): Answer => {
  const { now, world } = incoming
  const user = machineOf(incoming)
  if (user === undefined) return invalidClient()
  const scopes = scopesOf(formOf(incoming).get("scope"))
  if (isAnswer(scopes)) return scopes
  if (user.state !== "USER_STATE_ACTIVE") return oauthError("invalid_request", "Errors.User.NotActive")
  return tokenAnswer(
    issue(world, now, { userId: user.id, clientId: user.userName, scopes, audience: [], refresh: false })
  )
}

/** RFC 7009. Revoking an unknown or expired token succeeds. */
export const revoke = (incoming: Incoming): Answer => {
  const { now, world } = incoming
  const clientId = clientOf(incoming)
  if (clientId === undefined) return invalidClient()
  const value = formOf(incoming).get("token") ?? ""
  if (value === "") return oauthError("invalid_request", "token missing")
  const { tokens } = world.zitadel
  const found = entry(tokens, value) ?? Object.values(tokens).find((_) => _.refresh?.token === value)
  if (found === undefined) return empty(200)
  if (found.clientId !== clientId) return oauthError("invalid_client", "token was not issued for this client")
  // Revoking a refresh token also revokes its access token; an access token ends alone.
  if (found.accessToken === value && found.refresh !== null) tokens[value] = { ...found, expiresAt: now }
  else delete tokens[found.accessToken]
  return empty(200)
}

/** Any client: a public one by its id, an application or a machine user by its secret. */
const clientOf = (incoming: Incoming): string | undefined => {
  const { zitadel } = incoming.world
  const given = credentialsOf(incoming)
  const application = entry(zitadel.applications, given?.clientId)
  if (application !== undefined) {
    return application.clientSecret === null || application.clientSecret === given?.clientSecret
      ? application.clientId
      : undefined
  }
  return machineOf(incoming)?.userName
}

/**
 * OpenID Connect Discovery 1.0, the only metadata of the stock system: it has none of RFC 8414 under
 * `oauth-authorization-server`. Nor does it register clients (RFC 7591) unless its administrator switches that on.
 */
export const discovery = (incoming: Incoming): Answer => {
  const issuer = issuerOf(incoming)
  return json(200, {
    issuer,
    authorization_endpoint: `${issuer}/oauth/v2/authorize`,
    token_endpoint: `${issuer}/oauth/v2/token`,
    introspection_endpoint: `${issuer}/oauth/v2/introspect`,
    revocation_endpoint: `${issuer}/oauth/v2/revoke`,
    end_session_endpoint: `${issuer}/oidc/v1/end_session`,
    jwks_uri: `${issuer}/oauth/v2/keys`,
    device_authorization_endpoint: `${issuer}/oauth/v2/device_authorization`,
    scopes_supported: openidScopes,
    response_types_supported: ["code"],
    grant_types_supported: [
      "authorization_code",
      "refresh_token",
      "client_credentials",
      "urn:ietf:params:oauth:grant-type:device_code"
    ],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    introspection_endpoint_auth_methods_supported: ["client_secret_basic"],
    revocation_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    code_challenge_methods_supported: ["S256"]
  })
}
