import { Unavailable } from "@portico/contract/Failures"
import { type ConsoleSessionRow, ConsoleSessions, type StoredTokens } from "@portico/store/ConsoleSessions"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { ConsoleLogins, type Grant } from "@portico/upstream/zitadel/ConsoleLogins"
import { Clock, DateTime, Duration, Effect, Exit, type Redacted, Schedule } from "effect"
import { AuthenticationQueue } from "../access/AuthenticationQueue.ts"
import { Introspections } from "../access/Introspections.ts"
import type { Source } from "../access/networks.ts"
import { hashOf, PresentedToken } from "../access/PresentedToken.ts"
import { SessionSeal, type SessionTokens } from "./SessionSeal.ts"

/** The access token of a session. */
export interface AccessToken {
  readonly token: Redacted.Redacted
  /** Milliseconds since the epoch. */
  readonly endsAt: number
}

/** How long a session lasts that nobody renews: the time after which a stock Zitadel gives up an idle refresh token. */
export const idleTime = Duration.days(30)

/**
 * A token is about to end when a fifth of its life, or a minute, is left: whichever is less. That is when the client of
 * the pages asks for another one (`packages/client/src/engine/session.ts`), which counts from a moment later.
 */
const margin = { share: 0.2, millis: 60_000, slackMillis: 2_000 }

/** Milliseconds after a renewal in which the provider may not know the new token yet. */
const settling = 10_000

/**
 * Milliseconds after the claim in which the provider is asked: its answer comes before the lease ends. A process that
 * stood still meanwhile asks nothing, because another one may have exchanged the token.
 */
const longestStart = 15_000

/** How long a request waits for the renewal of another process, and how often it looks. */
const longestWait = Duration.toMillis(Duration.seconds(25))
const pollInterval = Duration.millis(100)

/** What was renewed exists nowhere else, so a database that was away for a moment gets it again. */
const committing = { schedule: Schedule.spaced("500 millis"), times: 10 }

/** What is stored of a login or of a renewal, and what the page gets of it. */
export const storedOf = Effect.fnUntraced(function* (
  sessionHash: string,
  { accessToken, expiresIn, refreshToken }: Grant
) {
  const now = yield* DateTime.now
  const access_ends = DateTime.add(now, { seconds: expiresIn })
  const stored: StoredTokens = {
    sealed: (yield* SessionSeal).close(sessionHash, { accessToken, refreshToken }),
    access_hash: hashOf(accessToken),
    access_ends,
    expires_at:
      refreshToken === undefined ? access_ends : DateTime.max(access_ends, DateTime.addDuration(now, idleTime))
  }
  const access: AccessToken = { token: accessToken, endsAt: DateTime.toEpochMillis(access_ends) }
  return { stored, access }
})

/** The provider does not answer, fails, or rejects the client itself. The session may be good, so it is kept. */
export const unreachable = (error: UpstreamError) =>
  Effect.andThen(
    Effect.logError("a login of the console could not be exchanged", error.summary),
    Effect.fail(Unavailable.identityProvider())
  )

/**
 * The access token in force of a session, after a renewal when that one is about to end. Undefined when the session has
 * ended. One process renews; the others wait for what it stores.
 *
 * @param found the session as it was read a moment ago
 */
export const currentToken = Effect.fnUntraced(function* (found: ConsoleSessionRow, source: Source) {
  const store = yield* ConsoleSessions
  const seal = yield* SessionSeal
  const giveUp = (yield* Clock.currentTimeMillis) + longestWait
  let row: ConsoleSessionRow | undefined = found
  for (;;) {
    if (row === undefined || row.ended_at !== null) return undefined
    const tokens = seal.open(row)
    // The key that sealed them is not accepted any more.
    if (tokens === undefined) return void (yield* store.end(row.plane, row.session_hash))
    const held: AccessToken = { token: tokens.accessToken, endsAt: DateTime.toEpochMillis(row.access_ends) }
    const { refreshToken } = tokens
    if (refreshToken === undefined || (yield* isInForce(row, tokens, source))) return held
    const began = yield* Clock.currentTimeMillis
    const claimed = yield* store.claim(row)
    const renewed = claimed && (yield* renewal(claimed, refreshToken, source, began))
    if (renewed !== undefined) return renewed.access
    if ((yield* Clock.currentTimeMillis) >= giveUp) return yield* Unavailable.identityProvider()
    yield* Effect.sleep(pollInterval)
    row = yield* store.find(row.plane, row.session_hash)
  }
})

/**
 * Whether the stored access token still works, as far as is known. With a lease a renewal is under way, or its outcome is
 * unknown: the provider may have exchanged the tokens already.
 */
const isInForce = Effect.fnUntraced(function* (
  { access_ends, lease, renewed_at }: ConsoleSessionRow,
  { accessToken }: SessionTokens,
  source: Source
) {
  if (lease !== null) return false
  const now = yield* Clock.currentTimeMillis
  const [since, ends] = [DateTime.toEpochMillis(renewed_at), DateTime.toEpochMillis(access_ends)]
  if (ends - now <= Math.min(margin.millis, (ends - since) * margin.share) + margin.slackMillis) return false
  if (now - since < settling) return true
  const introspections = yield* Introspections
  return yield* Effect.match(introspections.get(PresentedToken.of(accessToken), source), {
    onSuccess: (_) => _ !== undefined,
    // The calls of the page will tell.
    onFailure: () => true
  })
})

/**
 * One renewal at the provider. `access` is undefined when the session has ended, there or here. The result is undefined
 * when the lease was lost.
 *
 * @param claimed a session whose lease the caller holds
 * @param began a moment before the claim, in milliseconds since the epoch
 */
const renewal = Effect.fnUntraced(function* (
  claimed: ConsoleSessionRow,
  refreshToken: Redacted.Redacted,
  source: Source,
  began: number
) {
  const store = yield* ConsoleSessions
  const queue = yield* AuthenticationQueue
  const logins = yield* Effect.orDie(Effect.fromNullishOr((yield* ConsoleLogins).api))
  const renew = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - began > longestStart
      ? Effect.fail(Unavailable.identityProvider())
      : Effect.catchTag(logins.renew(refreshToken), "UpstreamError", unreachable)
  )
  const grant = yield* queue
    .ask({ kind: "login", key: hashOf(refreshToken), source, known: true }, renew)
    // It may have taken effect: the next request tries again.
    .pipe(Effect.onExit((exit) => (Exit.isFailure(exit) ? store.release(claimed) : Effect.void)))
  if (grant === undefined) return (yield* store.refuse(claimed)) && { access: undefined }
  const { access, stored } = yield* storedOf(claimed.session_hash, {
    ...grant,
    refreshToken: grant.refreshToken ?? refreshToken
  })
  const commit = Effect.catchDefect(store.renewed(claimed, stored), Effect.fail)
  const row = yield* Effect.orDie(Effect.retry(commit, committing))
  if (row === undefined) return undefined
  if (row.ended_at !== null) return { access: undefined }
  yield* queue.expect(stored.access_hash)
  return { access }
})
