import type { CredentialRow } from "@portico/store/Credentials"
import { Members } from "@portico/store/Members"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Duration, Effect, Exit } from "effect"

/** Together shorter than the lease of the record, so that nobody else is at work on it before this one is done. */
const timeLimit = Duration.seconds(60)
const undoLimit = Duration.seconds(30)

/** The stamp by which the login of an invitation is known: every attempt at the same one makes, and finds, the same login. */
export const stampOf = (credentialId: string): string => `portico-member:${credentialId}`

/**
 * Makes the login of an invitation whose record was begun, and then completes
 * the record. Nothing of it works before. What cuts it short removes the login
 * again, as far as it can be found; the record rests until
 * {@link removeLogin} has looked once more, because a call may yet take effect
 * and a new login is found late. Meanwhile the same invitation may be
 * repeated: it takes over the record, and the login when there is one.
 *
 * @param roleKey the role at the identity provider
 * @param complete undefined when the record is somebody else's by now
 */
export const withLogin = <A, R>(
  row: CredentialRow,
  roleKey: string,
  complete: (userId: string) => Effect.Effect<A | undefined, never, R>
) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const humans = yield* Humans
      const made = humans.create({
        email: row.email,
        displayName: row.display_name,
        stamp: stampOf(row.credential_id),
        role: roleKey
      })
      const exit = yield* Effect.exit(restore(Effect.timeoutOrElse(made, { duration: timeLimit, orElse: () => late })))
      const completed = Exit.isSuccess(exit) ? yield* complete(exit.value.userId) : undefined
      if (completed !== undefined) return completed
      yield* takeBack(row)
      return yield* Exit.isFailure(exit) ? Effect.failCause(exit.cause) : late
    })
  )

/** Unless the record passed to another attempt, whose the login is then. */
const takeBack = Effect.fnUntraced(function* (row: CredentialRow) {
  const members = yield* Members
  const held = yield* members.findByEmail(row.email)
  if (held !== undefined && held.attempt !== row.attempt) return
  yield* removeByAddress(row).pipe(Effect.timeout(undoLimit), Effect.ignore({ log: "Warn" }))
  yield* members.rest(row)
})

const removeByAddress = (row: CredentialRow) =>
  Effect.flatMap(Humans, (_) => _.removeByEmail(row.email, stampOf(row.credential_id)))

/** Whatever an invitation made, and its record. For whoever has claimed it. */
export const removeInvitation = Effect.fnUntraced(function* (row: CredentialRow) {
  yield* removeByAddress(row)
  yield* (yield* Members).drop(row)
})

/** The login of somebody who is, or was, a member: the record says whose it is, so that it goes whatever stamp it carries. */
export const removeLogin = Effect.fnUntraced(function* (userId: string) {
  const humans = yield* Humans
  const found = yield* humans.find(userId)
  if (found !== undefined) yield* humans.remove(userId, found.stamp)
})

/** The person's login as it is now; who has not followed the mail gets another. */
export const remind = Effect.fnUntraced(function* (userId: string) {
  const humans = yield* Humans
  const human = yield* humans.find(userId)
  if (human?.state === "USER_STATE_INITIAL") yield* humans.resendMail(userId)
  return human
})

const late: Effect.Effect<never, UpstreamError> = Effect.suspend(() =>
  Effect.fail(
    new UpstreamError({
      upstream: "zitadel",
      call: "invite",
      status: null,
      words: `not done within ${Duration.format(timeLimit)}`
    })
  )
)
