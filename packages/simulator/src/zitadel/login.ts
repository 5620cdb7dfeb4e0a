import { randomInt } from "node:crypto"
import { type Answer, empty, type Incoming, json } from "../Wire.ts"
import type { World } from "../World.ts"
import { formOf, invalidClient } from "./clients.ts"
import { oauthError } from "./errors.ts"
import { issuerOf } from "./introspect.ts"
import { isAnswer, scopesOf } from "./oauth.ts"
import { at } from "./proto.ts"
import type { Application, DeviceCode, User } from "./state.ts"
import { newSecret } from "./tokens.ts"

/** Stock times of an instance. */
const deviceCodeSeconds = 300
const pollSeconds = 5
const authCodeSeconds = 600

/** A public client, known by its id alone. */
export const nativeOf = (world: World, clientId: string | null): Application | undefined => {
  const application = at(world.zitadel.applications, clientId ?? undefined)
  return application?.type === "native" ? application : undefined
}

/** The person that a form or link names; only an ACTIVE one can log in. */
const personOf = (world: World, loginName: string | null): User | undefined =>
  Object.values(world.zitadel.users).find(
    (_) => _.type === "TYPE_HUMAN" && _.state === "USER_STATE_ACTIVE" && _.userName === loginName
  )

// --- browser: authorization code ------------------------------------------------

/** Of a registered loopback address the port is left to the client, which takes a free one at every login. */
const registered = ({ redirectUris }: Application, given: string): URL | undefined => {
  const wanted = URL.parse(given)
  const found = redirectUris.some((_) => {
    const uri = URL.parse(_)
    return (
      uri?.protocol === wanted?.protocol && uri?.hostname === wanted?.hostname && uri?.pathname === wanted?.pathname
    )
  })
  return found && wanted !== null ? wanted : undefined
}

/**
 * The one liberty of this login: there is no page and no password. Whoever
 * `login_hint` names is logged in at once, when it exists and is ACTIVE;
 * anybody else gets `login_required` back, as from a page that nobody answers.
 */
export const authorize = ({ now, query, world }: Incoming): Answer => {
  const application = nativeOf(world, query.get("client_id"))
  if (application === undefined) return oauthError("invalid_request", "client_id is unknown")
  const redirectUri = query.get("redirect_uri") ?? ""
  const target = registered(application, redirectUri)
  // An address that is not registered is never redirected to, not even with an error.
  if (target === undefined) return oauthError("invalid_request", "redirect_uri is missing or not registered")
  const back = (fields: Readonly<Record<string, string>>): Answer => {
    const state = query.get("state")
    for (const [key, value] of Object.entries({ ...fields, ...(state === null ? {} : { state }) })) {
      target.searchParams.set(key, value)
    }
    return empty(302, { location: target.href })
  }
  const refuse = (error: string, error_description: string) => back({ error, error_description })
  if (query.get("response_type") !== "code") return refuse("unsupported_response_type", "only code is supported")
  const codeChallenge = query.get("code_challenge") ?? ""
  if (!/^[\w-]{43}$/.test(codeChallenge) || query.get("code_challenge_method") !== "S256") {
    return refuse("invalid_request", "code_challenge with the method S256 is required")
  }
  const scopes = scopesOf(query.get("scope"))
  if (isAnswer(scopes)) return refuse("invalid_scope", "The scope openid is missing in your request.")
  const user = personOf(world, query.get("login_hint"))
  if (user === undefined) return refuse("login_required", "nobody logged in")
  const { authCodes } = world.zitadel
  for (const old of Object.values(authCodes)) if (old.expiresAt <= now) delete authCodes[old.code]
  const code = newSecret()
  authCodes[code] = {
    code,
    clientId: application.clientId,
    redirectUri,
    scopes,
    codeChallenge,
    userId: user.id,
    expiresAt: now + authCodeSeconds * 1000
  }
  return back({ code })
}

// --- no browser: device code ------------------------------------------------------

/** Without vowels, so that no code is a word. */
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
const letters = (count: number) =>
  Array.from({ length: count }, () => userCodeLetters[randomInt(userCodeLetters.length)]).join("")

export const deviceAuthorization = (incoming: Incoming): Answer => {
  const { now, world } = incoming
  const form = formOf(incoming)
  const application = nativeOf(world, form.get("client_id"))
  if (application === undefined) return invalidClient()
  const scopes = scopesOf(form.get("scope"))
  if (isAnswer(scopes)) return scopes
  const { deviceCodes } = world.zitadel
  // Kept for a while after the end, so that whoever still polls learns that it is too late.
  for (const old of Object.values(deviceCodes)) {
    if (old.expiresAt + deviceCodeSeconds * 1000 <= now) delete deviceCodes[old.deviceCode]
  }
  const code: DeviceCode = {
    deviceCode: newSecret(),
    userCode: `${letters(4)}-${letters(4)}`,
    clientId: application.clientId,
    scopes,
    expiresAt: now + deviceCodeSeconds * 1000,
    intervalSeconds: pollSeconds,
    polledAt: null,
    decision: "pending",
    userId: null
  }
  deviceCodes[code.deviceCode] = code
  const page = `${issuerOf(incoming)}/device`
  return json(
    200,
    {
      device_code: code.deviceCode,
      user_code: code.userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${code.userCode}`,
      expires_in: deviceCodeSeconds,
      interval: pollSeconds
    },
    { "cache-control": "no-store" }
  )
}

const html = (status: number, body: string): Answer => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: `<!doctype html><title>Device</title>${body}\n`
})

/** The page behind the code, for a person who tries this out. */
export const devicePage = ({ query }: Incoming): Answer => {
  const userCode = (query.get("user_code") ?? "").replaceAll(/[^A-Za-z-]/g, "")
  return html(
    200,
    `<form method="post"><p><label>Code <input name="user_code" value="${userCode}"></label>` +
      '<p><label>Login name <input name="login_hint"></label>' +
      '<p><button name="action" value="allow">Allow</button> <button name="action" value="deny">Deny</button></form>'
  )
}

/** What a person does on that page, with the same liberty as {@link authorize}: no password. */
export const decideDevice = (incoming: Incoming): Answer => {
  const { now, world } = incoming
  const form = formOf(incoming)
  const userCode = (form.get("user_code") ?? "").toUpperCase()
  const code = Object.values(world.zitadel.deviceCodes).find((_) => _.userCode === userCode && _.expiresAt > now)
  if (code?.decision !== "pending") return html(404, "<p>This code is unknown, used or expired.")
  const user = personOf(world, form.get("login_hint"))
  if (user === undefined) return html(403, "<p>Nobody of this name can log in.")
  const action = form.get("action")
  if (action !== "allow" && action !== "deny") return html(400, "<p>Allow or deny.")
  code.decision = action === "allow" ? "allowed" : "denied"
  code.userId = user.id
  return html(200, `<p>${action === "allow" ? "Allowed" : "Denied"}. Go back to your device.`)
}
