import { randomInt } from "node:crypto"
import { entry } from "../Json.ts"
import { type Answer, empty, type Incoming, isAnswer, json, originOf } from "../Wire.ts"
import type { World } from "../World.ts"
import { formOf, invalidClient } from "./clients.ts"
import { oauthError } from "./errors.ts"
import { issuerOf } from "./introspect.ts"
import { described, escaped, hidden, page, people } from "./page.ts"
import { scopesOf } from "./oauth.ts"
import type { Application, DeviceCode, User } from "./state.ts"
import { newSecret } from "./tokens.ts"

/** Stock lifetimes of an instance. */
const deviceCodeSeconds = 300
const pollSeconds = 5
const authCodeSeconds = 600

/** A public client, identified by its id. */
export const publicClientOf = (world: World, clientId: string | null): Application | undefined => {
  const application = entry(world.zitadel.applications, clientId ?? undefined)
  return application === undefined || application.type === "api" ? undefined : application
}

/** The user of a form or link; only an ACTIVE user can log in. */
const personOf = (world: World, loginName: string | null): User | undefined =>
  Object.values(world.zitadel.users).find(
    (_) => _.type === "TYPE_HUMAN" && _.state === "USER_STATE_ACTIVE" && _.userName === loginName
  )

// --- browser: authorization code ------------------------------------------------

/** The port of a registered loopback address is free: the client takes another one at every login. */
const registered = (uris: ReadonlyArray<string>, given: string): URL | undefined => {
  const wanted = URL.parse(given)
  const found = uris.some((_) => {
    const uri = URL.parse(_)
    return (
      uri?.protocol === wanted?.protocol && uri?.hostname === wanted?.hostname && uri?.pathname === wanted?.pathname
    )
  })
  return found && wanted !== null ? wanted : undefined
}

/** A checked request for a login. */
interface Login {
  readonly application: Application
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<string>
  readonly codeChallenge: string
  readonly nonce: string | null
  readonly back: (fields: Readonly<Record<string, string>>) => Answer
}

/** The same for the link and for the form of the page, whose fields are the link's parameters. */
const loginOf = (world: World, given: URLSearchParams, status: number): Login | Answer => {
  const application = publicClientOf(world, given.get("client_id"))
  if (application === undefined) return oauthError("invalid_request", "client_id is unknown")
  const redirectUri = given.get("redirect_uri") ?? ""
  const target = registered(application.redirectUris, redirectUri)
  // An unregistered address is never redirected to, not even with an error.
  if (target === undefined) return oauthError("invalid_request", "redirect_uri is missing or not registered")
  const back = (fields: Readonly<Record<string, string>>): Answer => {
    const state = given.get("state")
    for (const [key, value] of Object.entries({ ...fields, ...(state === null ? {} : { state }) })) {
      target.searchParams.set(key, value)
    }
    return empty(status, { location: target.href })
  }
  const refuse = (error: string, error_description: string) => back({ error, error_description })
  if (given.get("response_type") !== "code") return refuse("unsupported_response_type", "only code is supported")
  const codeChallenge = given.get("code_challenge") ?? ""
  if (!/^[\w-]{43}$/.test(codeChallenge) || given.get("code_challenge_method") !== "S256") {
    return refuse("invalid_request", "code_challenge with the method S256 is required")
  }
  const scopes = scopesOf(given.get("scope"))
  if (isAnswer(scopes)) return refuse("invalid_scope", "The scope openid is missing in your request.")
  return { application, redirectUri, scopes, codeChallenge, nonce: given.get("nonce"), back }
}

/** Sends the person back with a code. */
const loggedIn = ({ now, world }: Incoming, login: Login, loginName: string | null): Answer => {
  const user = personOf(world, loginName)
  if (user === undefined) return login.back({ error: "login_required", error_description: "nobody logged in" })
  const { authCodes } = world.zitadel
  for (const old of Object.values(authCodes)) if (old.expiresAt <= now) delete authCodes[old.code]
  const code = newSecret()
  authCodes[code] = {
    code,
    clientId: login.application.clientId,
    redirectUri: login.redirectUri,
    scopes: login.scopes,
    codeChallenge: login.codeChallenge,
    nonce: login.nonce,
    userId: user.id,
    expiresAt: now + authCodeSeconds * 1000
  }
  return login.back({ code })
}

/**
 * A simplification: there is no password. The user of `login_hint` is logged in at once if it is ACTIVE; otherwise the
 * answer is `login_required`. Without a hint, or with a prompt that asks for it, there is a page on which a person is
 * chosen; nobody has a session, so that `prompt=none` needs a hint.
 */
export const authorize = (incoming: Incoming): Answer => {
  const { query, world } = incoming
  const login = loginOf(world, query, 302)
  if (isAnswer(login)) return login
  const hint = query.get("login_hint") ?? ""
  const prompt = query.get("prompt") ?? ""
  const asks = prompt === "login" || prompt === "select_account" || (hint === "" && prompt !== "none")
  return asks ? loginPage(incoming, login) : loggedIn(incoming, login, hint)
}

const loginPage = ({ query, world }: Incoming, { application }: Login): Answer => {
  const fields = [...query].filter(([name]) => name !== "login_hint").map(([name, value]) => hidden(name, value))
  const persons = people(world).map(
    (_) => `<button class="person" name="login_hint" value="${escaped(_.userName)}">${described(world, _)}</button>`
  )
  return page(
    200,
    "Who are you?",
    `<p>${escaped(application.name)} asks you to log in. This is a simulated identity provider: it asks for no password.` +
      `<form method="post" action="authorize">${fields.join("")}${persons.join("")}` +
      '<p><button name="action" value="cancel">Cancel</button></form>'
  )
}

/** The form of that page. Another site's page cannot log a person in. */
export const chooseLogin = (incoming: Incoming): Answer => {
  if (!isOwnForm(incoming)) return page(403, "Not from here", "<p>This form was sent by another site.")
  const form = formOf(incoming)
  const login = loginOf(incoming.world, form, 303)
  if (isAnswer(login)) return login
  return form.get("action") === "cancel"
    ? login.back({ error: "access_denied", error_description: "the person cancelled the login" })
    : loggedIn(incoming, login, form.get("login_hint"))
}

/** A browser names the origin of a form; a program that sends one has none. */
const isOwnForm = (incoming: Incoming): boolean => {
  const { origin } = incoming.headers
  return origin === undefined || origin === originOf(incoming)
}

// --- the end of a session -------------------------------------------------------

/**
 * OpenID Connect RP-Initiated Logout 1.0. Nobody has a session, so that the browser is only sent back. The client is
 * named by its id; without a registered address there is a page, as on the stock system.
 */
export const endSession = ({ query, world }: Incoming): Answer => {
  const application = publicClientOf(world, query.get("client_id"))
  const uri = query.get("post_logout_redirect_uri")
  if (application === undefined || uri === null) return page(200, "Logged out", "<p>You are logged out.")
  const target = registered(application.postLogoutUris ?? [], uri)
  if (target === undefined) return oauthError("invalid_request", "post_logout_redirect_uri invalid")
  const state = query.get("state")
  if (state !== null) target.searchParams.set("state", state)
  return empty(302, { location: target.href })
}

// --- no browser: device code ------------------------------------------------------

/** Without vowels, so that a code contains no word. */
const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
const letters = (count: number) =>
  Array.from({ length: count }, () => userCodeLetters[randomInt(userCodeLetters.length)]).join("")

export const deviceAuthorization = (incoming: Incoming): Answer => {
  const { now, world } = incoming
  const form = formOf(incoming)
  const application = publicClientOf(world, form.get("client_id"))
  if (application === undefined) return invalidClient()
  if (application.type !== "native") return oauthError("unauthorized_client", "the client has no device code grant")
  const scopes = scopesOf(form.get("scope"))
  if (isAnswer(scopes)) return scopes
  const { deviceCodes } = world.zitadel
  // Kept for a while after its end, so that a polling client gets `expired_token`.
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
  const address = `${issuerOf(incoming)}/device`
  return json(
    200,
    {
      device_code: code.deviceCode,
      user_code: code.userCode,
      verification_uri: address,
      verification_uri_complete: `${address}?user_code=${code.userCode}`,
      expires_in: deviceCodeSeconds,
      interval: pollSeconds
    },
    { "cache-control": "no-store" }
  )
}

/** The page of the code: asks for it, shows who asks, and lets a person be chosen who allows it. */
export const devicePage = ({ now, query, world }: Incoming): Answer => {
  const userCode = query.get("user_code") ?? ""
  const code = pendingCode(world, now, userCode)
  if (code !== undefined) return confirmPage(world, code)
  const unknown = userCode === "" ? "" : "<p>This code is unknown, used or expired."
  return page(
    200,
    "Log in on another device",
    `${unknown}<form><label>The code that the device shows <input name="user_code" autocomplete="off" autofocus></label>` +
      "<p><button>Continue</button></form>"
  )
}

const confirmPage = (world: World, { clientId, userCode }: DeviceCode): Answer => {
  const application = publicClientOf(world, clientId)?.name ?? clientId
  const persons = people(world).map(
    (_, index) =>
      `<label><input type="radio" name="login_hint" value="${escaped(_.userName)}"${index === 0 ? " checked" : ""}> ` +
      `${described(world, _)}</label>`
  )
  return page(
    200,
    "Log in on another device",
    `<p>${escaped(application)} asks to be logged in. Does it show this code? <p><code>${escaped(userCode)}</code>` +
      `<form method="post" action="device">${hidden("user_code", userCode)}${persons.join("")}` +
      '<p><button name="action" value="allow">Allow</button> <button name="action" value="deny">Deny</button></form>'
  )
}

/** People write a code in any case, and without its hyphen. */
const pendingCode = (world: World, now: number, given: string): DeviceCode | undefined => {
  const letters = (text: string) => text.toUpperCase().replaceAll(/[^A-Z]/g, "")
  return Object.values(world.zitadel.deviceCodes).find(
    (_) => letters(_.userCode) === letters(given) && _.expiresAt > now && _.decision === "pending"
  )
}

/** The form of that page, simplified like {@link authorize}: no password. */
export const decideDevice = (incoming: Incoming): Answer => {
  const { now, world } = incoming
  const title = "Log in on another device"
  if (!isOwnForm(incoming)) return page(403, title, "<p>This form was sent by another site.")
  const form = formOf(incoming)
  const code = pendingCode(world, now, form.get("user_code") ?? "")
  if (code === undefined) return page(404, title, "<p>This code is unknown, used or expired.")
  const action = form.get("action")
  if (action !== "allow" && action !== "deny") return page(400, title, "<p>Allow or deny.")
  const user = personOf(world, form.get("login_hint"))
  if (user === undefined && action === "allow") return page(403, title, "<p>Nobody of this name can log in.")
  code.decision = action === "allow" ? "allowed" : "denied"
  code.userId = user?.id ?? null
  return page(200, title, `<p>${action === "allow" ? "Allowed" : "Denied"}. Go back to your device.`)
}
