import { Invalid, type TooManyRequests, Unavailable, UnsupportedMediaType } from "@portico/contract/Failures"
import { AuthenticationQueue } from "@portico/domain/access/AuthenticationQueue"
import { hashOf } from "@portico/domain/access/PresentedToken"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Clock, Effect, Redacted, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { bodyIssues } from "../middleware/body.ts"
import { issuesOf } from "../middleware/validation.ts"
import { consoleSignedInPath } from "../requests/consolePaths.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"
import type { ConsolePlane } from "./ConsoleFiles.ts"
import type { ConsoleLogins, Grant } from "./ConsoleLogins.ts"
import { noStore } from "./headers.ts"
import { SessionRefused } from "./refusals.ts"
import { type Renewed, renewals } from "./Renewals.ts"
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
 * The sessions of a plane's console. The browser keeps the refresh token, encrypted and out of the reach of scripts; the
 * page gets access tokens alone, and holds them in memory.
 *
 * @param baseOf the plane's address, as the browser sees it
 */
export const sessions = Effect.fnUntraced(function* (
  plane: ConsolePlane,
  logins: ConsoleLogins,
  baseOf: (request: HttpServerRequest.HttpServerRequest) => string
) {
  const queue = yield* AuthenticationQueue
  const sources = yield* SourceAddresses
  const cookie = yield* SessionCookie.config(plane)
  const renewing = yield* renewals<Refused>()

  /**
   * @param known whether the gateway has sealed the secret: it does not count against the source then
   */
  const ask = (
    request: HttpServerRequest.HttpServerRequest,
    { known, secret }: { readonly known: boolean; readonly secret: Redacted.Redacted },
    grant: Effect.Effect<Grant | undefined, UpstreamError>
  ) => {
    const arrival = arrivalOf(request)
    return queue
      .ask(
        { kind: "login", key: hashOf(secret), source: () => sources.of(arrival), known },
        Effect.catchTag(grant, "UpstreamError", unreachable)
      )
      .pipe(Effect.tap((_) => (_ === undefined ? Effect.void : queue.expect(hashOf(_.accessToken)))))
  }

  const login = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const base = baseOf(request)
    yield* ofOwnPages(request, base)
    if (request.headers["content-type"] === undefined) return yield* UnsupportedMediaType.notJson()
    const { code, redirectUri, verifier } = yield* codeOf(request, `${base}${consoleSignedInPath}`)
    const grant = yield* ask(request, { secret: code, known: false }, logins.login({ code, verifier, redirectUri }))
    if (grant === undefined) return yield* Effect.fail(new SessionRefused("login_refused"))
    const { accessToken, expiresIn, refreshToken } = grant
    // Without a refresh token the login ends with its access token.
    return tokenAnswer(accessToken, expiresIn, refreshToken === undefined ? cookie.cleared : cookie.set(refreshToken))
  })

  const renewed = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    refreshToken: Redacted.Redacted
  ) {
    const grant = yield* ask(request, { secret: refreshToken, known: true }, logins.renew(refreshToken))
    const now = yield* Clock.currentTimeMillis
    return (
      grant &&
      ({
        accessToken: grant.accessToken,
        expiresAt: now + grant.expiresIn * 1000,
        refreshToken: grant.refreshToken ?? refreshToken
      } satisfies Renewed)
    )
  })

  const refresh = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    yield* ofOwnPages(request, baseOf(request))
    yield* bodyless(request)
    const token = cookie.read(request)
    if (token === undefined) return withoutSession("session_missing", cookie.isIn(request) ? cookie.cleared : {})
    const next = yield* renewing.get(token, renewed(request, token))
    if (next === undefined) return withoutSession("session_ended", cookie.cleared)
    const left = Math.floor((next.expiresAt - (yield* Clock.currentTimeMillis)) / 1000)
    const isNew = hashOf(next.refreshToken) !== hashOf(token) || cookie.isOld(request)
    return tokenAnswer(next.accessToken, Math.max(0, left), isNew ? cookie.set(next.refreshToken) : {})
  })

  const logout = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    yield* ofOwnPages(request, baseOf(request))
    yield* bodyless(request)
    const token = cookie.read(request)
    if (token !== undefined) {
      const last = yield* renewing.end(token)
      if (last !== undefined) {
        yield* Effect.catchTag(logins.revoke(last), "UpstreamError", (error) =>
          Effect.logWarning("a console's session could not be revoked", error.summary)
        )
      }
    }
    return HttpServerResponse.empty({ status: 204, headers: { ...noStore, ...cookie.cleared } })
  })

  return { login, refresh, logout }
})

type Refused = TooManyRequests<"rate_limited"> | Unavailable<"identity_provider_unreachable">

/** The provider does not answer, fails, or rejects the client itself. The session may be good, so it is kept. */
const unreachable = (error: UpstreamError) =>
  Effect.andThen(
    Effect.logError("a login of the console could not be exchanged", error.summary),
    Effect.fail(Unavailable.identityProvider())
  )

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

const tokenAnswer = (
  accessToken: Redacted.Redacted,
  expiresIn: number,
  cookie: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { access_token: Redacted.value(accessToken), expires_in: expiresIn },
    { headers: { ...noStore, ...cookie } }
  )

const withoutSession = (code: "session_missing" | "session_ended", cookie: Readonly<Record<string, string>>) => {
  const { body, status } = new SessionRefused(code)
  return HttpServerResponse.jsonUnsafe(body, { status, headers: { ...noStore, ...cookie } })
}
