import { Invalid, UnsupportedMediaType } from "@portico/contract/Failures"
import type { AccessToken } from "@portico/domain/console/renew"
import { Sessions } from "@portico/domain/console/Sessions"
import type { ConsolePlane } from "@portico/store/ConsoleSessions"
import { Clock, Effect, Redacted, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { bodyIssues } from "../middleware/body.ts"
import { issuesOf } from "../middleware/validation.ts"
import { consoleSignedInPath } from "../requests/consolePaths.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"
import { noStore } from "./headers.ts"
import { SessionRefused } from "./refusals.ts"
import { ofOwnPages } from "./sameOrigin.ts"
import { SessionCookie } from "./SessionCookie.ts"

/** An OAuth code has no length of its own; no real one comes near this. */
const Code = Schema.String.check(
  Schema.makeFilter((_) => _.length > 0 && _.length <= 4096, { expected: "from 1 to 4096 characters" })
)
/** RFC 7636, section 4.1. */
const Verifier = Schema.String.check(
  Schema.makeFilter((_) => /^[\w.~-]{43,128}$/.test(_), { expected: "from 43 to 128 unreserved characters" })
)
const Login = Schema.Struct({ code: Code, code_verifier: Verifier, redirect_uri: Schema.String })
const decodeLogin = Schema.decodeUnknownEffect(Login)
const strictly = { errors: "all", onExcessProperty: "error" } as const

/**
 * The sessions of a plane's console. The browser keeps a cookie out of the reach of scripts; the page gets access tokens
 * alone, and holds them in memory.
 *
 * @param baseOf the plane's address, as the browser sees it
 */
export const sessionRoutes = Effect.fnUntraced(function* (
  plane: ConsolePlane,
  baseOf: (request: HttpServerRequest.HttpServerRequest) => string
) {
  const sessions = yield* Sessions
  const sources = yield* SourceAddresses
  const cookie = new SessionCookie(plane)

  const sourceOf = (request: HttpServerRequest.HttpServerRequest) => {
    const arrival = arrivalOf(request)
    return () => sources.of(arrival)
  }

  const login = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const base = baseOf(request)
    yield* ofOwnPages(request, base)
    if (request.headers["content-type"] === undefined) return yield* UnsupportedMediaType.notJson()
    const code = yield* codeOf(request, `${base}${consoleSignedInPath}`)
    const begun = yield* sessions.begin(plane, code, sourceOf(request), cookie.read(request))
    if (begun === undefined) return yield* Effect.fail(new SessionRefused("login_refused"))
    return yield* tokenAnswer(begun.access, cookie.set(begun.cookie))
  })

  const refresh = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    yield* ofOwnPages(request, baseOf(request))
    yield* bodyless(request)
    const held = cookie.read(request)
    // A refusal leaves the cookie: it may arrive after that of a new session.
    if (held === undefined) return yield* Effect.fail(new SessionRefused("session_missing"))
    const access = yield* sessions.current(plane, held, sourceOf(request))
    if (access === undefined) return yield* Effect.fail(new SessionRefused("session_ended"))
    return yield* tokenAnswer(access, {})
  })

  const logout = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    yield* ofOwnPages(request, baseOf(request))
    yield* bodyless(request)
    const held = cookie.read(request)
    if (held !== undefined) yield* sessions.end(plane, held)
    return HttpServerResponse.empty({ status: 204, headers: { ...noStore, ...cookie.cleared } })
  })

  return { login, refresh, logout }
})

const codeOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, ownUri: string) {
  const issues = yield* bodyIssues(request, true)
  if (issues.length > 0) return yield* Invalid.issues(issues)
  const body = yield* Effect.orElseSucceed(request.json, () => undefined)
  const { code, code_verifier, redirect_uri } = yield* Effect.mapError(decodeLogin(body, strictly), ({ issue }) =>
    Invalid.issues(issuesOf(issue, ["body"]))
  )
  if (redirect_uri !== ownUri) {
    const msg = `Input should be '${ownUri}'`
    return yield* Invalid.issues([{ loc: ["body", "redirect_uri"], msg, type: "value_error" }])
  }
  return { code: Redacted.make(code), verifier: Redacted.make(code_verifier), redirectUri: redirect_uri }
})

const bodyless = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.flatMap(bodyIssues(request, false), (issues) =>
    issues.length === 0 ? Effect.void : Effect.fail(Invalid.issues(issues))
  )

const tokenAnswer = ({ endsAt, token }: AccessToken, cookie: Readonly<Record<string, string>>) =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    HttpServerResponse.jsonUnsafe(
      { access_token: Redacted.value(token), expires_in: Math.max(0, Math.floor((endsAt - now) / 1000)) },
      { headers: { ...noStore, ...cookie } }
    )
  )
