import { Conflict } from "@portico/contract/Failures"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { invitationOf } from "@portico/store/memberRows"
import { Members } from "@portico/store/Members"
import { Humans } from "@portico/upstream/zitadel/Humans"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Duration, Effect, Exit } from "effect"

/** Together shorter than the lease of the record, so that nobody else is at work on it before this one is done. */
const timeLimit = Duration.seconds(60)
const undoLimit = Duration.seconds(30)

/** What the logins of all invitations of a person into an account begin with. */
const stampOfPerson = (credentialId: string): string => `portico-member:${credentialId}`

/**
 * Whether an invitation of this record made the login, be it one of today's or
 * one whose record is long gone.
 */
export const isStampOf = (credentialId: string, stamp: string): boolean =>
  stamp === stampOfPerson(credentialId) || stamp.startsWith(`${stampOfPerson(credentialId)}:`)

/**
 * The stamp of an invitation's login: every attempt at it makes, and finds, the
 * same login. An invitation of the same person after it has another stamp, so
 * that no attempt ever removes a login that is not of its own invitation.
 */
const stampOf = (row: CredentialRow): string => `portico-member:${invitationOf(row) ?? row.credential_id}`

/** What an invitation has got. @param made false for the login of an earlier invitation, whose record is gone */
interface Login {
  readonly userId: string
  readonly made: boolean
}

/**
 * Makes the login of an invitation whose record was begun, and then completes
 * the record. Nothing of it works before. What cuts it short removes the login
 * again, as far as it can be found; the record rests until
 * {@link removeInvitation} has looked once more, because a call may yet take
 * effect and a new login is found late. Meanwhile the same invitation may be
 * repeated: it takes over the record, and the login when there is one.
 *
 * Errors: 409 when another attempt has the record by now.
 *
 * @param roleKey the role at the identity provider
 * @param complete undefined when the record is another attempt's by now
 */
export const withLogin = <A, R>(
  row: CredentialRow,
  roleKey: string,
  complete: (login: Login) => Effect.Effect<A | undefined, never, R>
) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const humans = yield* Humans
      const stamp = stampOf(row)
      const made = humans.create({
        email: row.email,
        displayName: row.display_name,
        stamp,
        isOwn: (_) => isStampOf(row.credential_id, _),
        role: roleKey
      })
      const exit = yield* Effect.exit(restore(Effect.timeoutOrElse(made, { duration: timeLimit, orElse: () => late })))
      const completed = Exit.isSuccess(exit)
        ? yield* complete({ userId: exit.value.userId, made: exit.value.stamp === stamp })
        : undefined
      if (completed !== undefined) return completed
      yield* takeBack(row)
      return yield* Exit.isFailure(exit) ? Effect.failCause(exit.cause) : Conflict.invitationBusy()
    })
  )

/**
 * Removes what the attempt may have made, and nothing that another attempt
 * may have told its caller of: the lease begins anew before the first look, so
 * that no other attempt begins meanwhile; without the lease, the login is
 * removed only when its invitation is over.
 */
const takeBack = Effect.fnUntraced(function* (row: CredentialRow) {
  const members = yield* Members
  const remove = removeByStamp(row).pipe(Effect.timeout(undoLimit), Effect.ignore({ log: "Warn" }))
  if (yield* members.renew(row)) {
    yield* remove
    return yield* members.rest(row)
  }
  const held = yield* (yield* Credentials).find(row.credential_id)
  const isOver = held === undefined || (held.state === "minting" && held.user_id !== row.user_id)
  if (isOver) yield* remove
})

const removeByStamp = (row: CredentialRow) => Effect.flatMap(Humans, (_) => _.removeByEmail(row.email, stampOf(row)))

/** Whatever an invitation made, and its record. Only for a caller that has claimed the record. */
export const removeInvitation = Effect.fnUntraced(function* (row: CredentialRow) {
  yield* removeByStamp(row)
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
