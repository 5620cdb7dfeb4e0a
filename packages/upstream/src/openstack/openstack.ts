import { Duration, Effect, Exit, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { make } from "../System.ts"
import { Catalog } from "./Catalog.ts"
import { type Session, Sessions } from "./Sessions.ts"
import type { UpstreamError } from "../UpstreamError.ts"

/** A platform service under the control identity. The token is added here, and renewed once after a 401. */
export const controlled = Effect.fnUntraced(function* (
  upstream: string,
  service: keyof Catalog["Service"]["required"]
) {
  const catalog = yield* Catalog
  const sessions = yield* Sessions
  return yield* underSession({ upstream, url: catalog.required[service], session: sessions.control })
})

/** A service at this URL under any session. The token is added here, and renewed once after a 401. */
export const underSession = Effect.fnUntraced(function* (options: {
  readonly upstream: string
  readonly url: string
  readonly session: Effect.Effect<Session, UpstreamError>
}) {
  const { session: current, upstream, url } = options
  const sessions = yield* Sessions
  const client = yield* HttpClient.HttpClient
  let last: Session | undefined
  return make(client, {
    upstream,
    url,
    authorize: (request) =>
      Effect.map(current, (session) => {
        last = session
        return request.pipe(
          HttpClientRequest.prependUrl(url),
          HttpClientRequest.acceptJson,
          HttpClientRequest.setHeader("x-auth-token", Redacted.value(session.token))
        )
      }),
    rejected: Effect.suspend(() => (last === undefined ? Effect.succeed(false) : Effect.as(sessions.drop(last), true)))
  })
})

/** The TTL of a cached read: a success lasts for the duration, and after a failure the next caller reads again. */
export const ttlOnSuccess =
  (duration: Duration.Duration) =>
  (exit: Exit.Exit<unknown, unknown>): Duration.Duration =>
    Exit.isSuccess(exit) ? duration : Duration.zero
