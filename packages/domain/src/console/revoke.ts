import { claimed, type ConsoleSessionRow, ConsoleSessions } from "@portico/store/ConsoleSessions"
import { growingPause } from "@portico/store/leased"
import { ConsoleLogins, type Revocable } from "@portico/upstream/zitadel/ConsoleLogins"
import { Duration, Effect } from "effect"
import { reconcile } from "../work/reconcile.ts"
import { SessionSeal, type SessionTokens } from "./SessionSeal.ts"

const pauseAfter = growingPause({ first: Duration.seconds(15), longest: Duration.hours(1) })
const concurrency = 4

/**
 * Revokes the tokens of ended sessions at the identity provider, until none is due. What the provider does not confirm
 * is tried again after a growing pause, for as long as the row lives. Any replica may run it.
 */
export const revokeSessions = Effect.gen(function* () {
  const claim = (yield* ConsoleSessions).claimEnded()
  return yield* reconcile({ what: "the revocation of a session", claim, batch: claimed, concurrency, step: revoke })
}).pipe(Effect.withSpan("console.revokeSessions"))

/**
 * One attempt. The refresh token takes its access tokens with it (RFC 7009, section 2.1).
 *
 * @param row an ended session whose lease the caller holds
 */
export const revoke = Effect.fn("console.revoke")(function* (row: ConsoleSessionRow) {
  const store = yield* ConsoleSessions
  const tokens = (yield* SessionSeal).open(row)
  // Without a key that opens them the tokens are of no use to anybody.
  if (tokens === undefined) return yield* store.revoked(row)
  const later = store.postpone(row, pauseAfter(row.failures + 1))
  const { api } = yield* ConsoleLogins
  if (api === undefined) return yield* later
  yield* Effect.matchEffect(api.revoke(revocableOf(tokens)), {
    onSuccess: () => store.revoked(row),
    onFailure: ({ summary }) =>
      Effect.andThen(Effect.logWarning("a console's session could not be revoked yet", summary), later)
  })
})

/** The token that takes the others with it when it is revoked. */
export const revocableOf = ({ accessToken, refreshToken }: SessionTokens): Revocable =>
  refreshToken === undefined
    ? { token: accessToken, kind: "access_token" }
    : { token: refreshToken, kind: "refresh_token" }

/** Removes the rows that are of no use any more. Any replica may run it. */
export const pruneSessions = Effect.asVoid(Effect.flatMap(ConsoleSessions, (_) => _.prune)).pipe(
  Effect.withSpan("console.pruneSessions")
)
