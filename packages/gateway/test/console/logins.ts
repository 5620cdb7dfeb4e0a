import { hashOf } from "@portico/domain/access/PresentedToken"
import { consoleClientId } from "@portico/simulator/zitadel/state"
import { Memory } from "@portico/testing/store/Memory"
import { DateTime, Effect, Redacted } from "effect"
import { createHash } from "node:crypto"
import { type Answer, send } from "../harness/http.ts"
import { type Plane, TestGateway } from "../harness/TestGateway.ts"

export const verifier = "v".repeat(43)
export const person = "oscar@people.example"

/** A request of the plane's own page. */
export const ofPage = Effect.fnUntraced(function* (
  plane: Plane,
  method: string,
  path: string,
  asked: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>>; readonly cookie?: string } = {}
) {
  const { call, url } = yield* TestGateway
  const { body, cookie, headers } = asked
  const own = { origin: url[plane], "sec-fetch-site": "same-origin", ...(cookie === undefined ? {} : { cookie }) }
  return yield* call(plane, method, path, { body, headers: { ...own, ...headers } })
})

/** The code with which the identity provider sends a person back to the console. */
export const codeFor = Effect.fnUntraced(function* (plane: Plane) {
  const { url } = yield* TestGateway
  const config = JSON.parse((yield* ofPage(plane, "GET", "/console/config.json")).text)
  const query = new URLSearchParams({
    client_id: consoleClientId,
    redirect_uri: `${url[plane]}/console/signed-in`,
    response_type: "code",
    scope: config.scope,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    login_hint: person
  })
  const { origin, pathname } = new URL(config.authorization_endpoint)
  const answer = yield* send(origin, "GET", `${pathname}?${query.toString()}`)
  return new URL(answer.headers["location"] ?? "").searchParams.get("code") ?? ""
})

/** What the page sends of it. */
export const loginOf = Effect.fnUntraced(function* (plane: Plane) {
  const { url } = yield* TestGateway
  return {
    code: yield* codeFor(plane),
    code_verifier: verifier,
    redirect_uri: `${url[plane]}/console/signed-in`
  }
})

/** The cookie that an answer sets, as the browser sends it. */
export const cookieOf = (answer: Answer): string => (answer.headers["set-cookie"] ?? "").split(";")[0] ?? ""

/** A person who is signed in: the cookie. */
export const signedIn = Effect.fnUntraced(function* (plane: Plane) {
  const answer = yield* ofPage(plane, "POST", "/console/session", { body: yield* loginOf(plane) })
  return { answer, cookie: cookieOf(answer), token: String(JSON.parse(answer.text).access_token) }
})

/** The session's access token has half a minute left. */
export const nearTheEnd = Effect.fnUntraced(function* (cookie: string) {
  const { consoleSessions } = yield* Memory
  const hash = hashOf(Redacted.make(cookie.split("=")[1] ?? ""))
  const row = yield* Effect.fromNullishOr(consoleSessions.get(hash))
  const access_ends = DateTime.add(yield* DateTime.now, { seconds: 30 })
  consoleSessions.set(hash, { ...row, access_ends, renewed_at: DateTime.subtract(access_ends, { hours: 12 }) })
})
