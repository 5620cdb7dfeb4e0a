import { Duration, Effect, Exit, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { make, type System } from "../System.ts"
import { Catalog } from "./Catalog.ts"
import { type Session, Sessions } from "./Sessions.ts"
import type { UpstreamError } from "../UpstreamError.ts"

/** A platform service under the control identity. */
export const controlled = Effect.fnUntraced(function* (
  upstream: string,
  service: keyof Catalog["Service"]["required"]
) {
  const { control } = yield* Sessions
  return (yield* underSession)({ upstream, url: (yield* Catalog).required[service], session: control })
})

/** A service at a URL under any session. The token is added here, and renewed once after a 401. */
export const underSession = Effect.gen(function* () {
  const sessions = yield* Sessions
  const client = yield* HttpClient.HttpClient
  return (options: {
    readonly upstream: string
    readonly url: string
    readonly session: Effect.Effect<Session, UpstreamError>
  }): System => {
    const { session: current, upstream, url } = options
    let last: Session | undefined
    return make(client, {
      upstream,
      url,
      authorize: (request) =>
        Effect.map(current, (session) => {
          last = session
          return HttpClientRequest.setHeader(request, "x-auth-token", Redacted.value(session.token))
        }),
      rejected: Effect.suspend(() =>
        last === undefined ? Effect.succeed(false) : Effect.as(sessions.drop(last), true)
      )
    })
  }
})

/** The TTL of a cached read: a success lasts for the duration, and after a failure the next caller reads again. */
export const ttlOnSuccess =
  (duration: Duration.Duration) =>
  (exit: Exit.Exit<unknown, unknown>): Duration.Duration =>
    Exit.isSuccess(exit) ? duration : Duration.zero
