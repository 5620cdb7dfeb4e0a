import { Conflict } from "@portico/contract/Failures"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { invitationOf } from "@portico/store/memberRows"
import { Members } from "@portico/store/Members"
import { Tenants } from "@portico/store/Tenants"
import { Fence, isFenced } from "@portico/upstream/Fence"
import { type Human, Humans } from "@portico/upstream/zitadel/Humans"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Cause, Duration, Effect, Exit, Option } from "effect"

/** Together shorter than the record's lease, so no other process works on the record before this one is done. */
const timeLimit = Duration.seconds(60)
const undoLimit = Duration.seconds(30)

/** The stamp prefix of the logins of all invitations of a person into an account. */
const stampOfPerson = (credentialId: string): string => `portico-member:${credentialId}`

/**
 * Whether an invitation of this record made the login: the current invitation,
 * or an earlier one whose record is gone.
 */
export const isStampOf = (credentialId: string, stamp: string): boolean =>
  stamp === stampOfPerson(credentialId) || stamp.startsWith(`${stampOfPerson(credentialId)}:`)

/**
 * The stamp of an invitation's login: every attempt at the invitation makes,
 * and finds, the same login. A later invitation of the same person has another
 * stamp, so no attempt removes the login of another invitation.
 */
const stampOf = (row: CredentialRow): string => `portico-member:${invitationOf(row) ?? row.credential_id}`

/**
 * The login of an invitation.
 *
 * @param made false for the login of an earlier invitation, whose record is
 * gone
 */
interface Login {
  readonly userId: string
  readonly made: boolean
}

/**
 * Makes the login of an invitation whose record was begun, and then completes
 * the record. The login has no effect in the account before that.
 *
 * After a failure or an interruption the login is removed again, as far as it
 * can be found. The record rests until {@link removeInvitation} has looked once
 * more, because a call may still take effect and a search shows a new login
 * late. Meanwhile the same invitation may be repeated: it takes over the
 * record, and the login if there is one.
 *
 * Errors: 409 when another attempt holds the record by now.
 *
 * @param roleKey the role at the identity provider
 * @param complete undefined when another attempt holds the record by now
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
        takes: yield* takesFor(row, roleKey),
        role: roleKey
      })
      const isBegun = Effect.map(
        (yield* Credentials).find(row.credential_id),
        (_) => _?.state === "minting" && invitationOf(_) === invitationOf(row)
      )
      const fenced = Effect.provideService(made, Fence, isBegun)
      const exit = yield* Effect.exit(
        restore(Effect.timeoutOrElse(fenced, { duration: timeLimit, orElse: () => late }))
      )
      const completed = Exit.isSuccess(exit)
        ? yield* complete({ userId: exit.value.userId, made: exit.value.stamp === stamp })
        : undefined
      if (completed !== undefined) return completed
      yield* takeBack(row)
      return yield* Exit.isFailure(exit) && !isFenced(Option.getOrUndefined(Cause.findErrorOption(exit.cause)))
        ? Effect.failCause(exit.cause)
        : Conflict.invitationBusy()
    })
  )

/**
 * Whether an invitation takes a login that exists. An earlier invitation, or the onboarding of the account, may have made
 * it, and a restore of the database may have lost its record. The stamp says who made it, but people can write a stamp
 * into their own profile, and change their user name. So an invitation takes two kinds of login alone: one that an
 * invitation made and that was never used; and one that already has the role, which only the platform gives, belongs to
 * no account, and has the invited address, verified.
 */
const takesFor = Effect.fnUntraced(function* (row: CredentialRow, roleKey: string) {
  const humans = yield* Humans
  const credentials = yield* Credentials
  const tenants = yield* Tenants
  return Effect.fnUntraced(function* ({ email, isEmailVerified, stamp, state, userId }: Human) {
    const ofInvitation = isStampOf(row.credential_id, stamp)
    if (ofInvitation && state === "USER_STATE_INITIAL") return true
    if (!isEmailVerified || email.toLowerCase() !== row.email.toLowerCase()) return false
    if (!ofInvitation && (yield* tenants.find(row.project_id))?.stamp !== stamp) return false
    return (yield* humans.rolesOf(userId)).includes(roleKey) && (yield* credentials.findByUser(userId)) === undefined
  })
})

/**
 * Removes what the attempt may have made, and nothing that another attempt may
 * have reported to its caller. The lease is renewed before the first search, so
 * no other attempt starts meanwhile. Without the lease, the login is removed
 * only when its invitation is over.
 */
const takeBack = Effect.fnUntraced(function* (row: CredentialRow) {
  const members = yield* Members
  const remove = removeByStamp(row).pipe(
    Effect.timeout(undoLimit),
    Effect.ignore({
      log: "Warn",
      message: "the login of an invitation could not be removed yet"
    })
  )
  if (yield* members.renew(row)) {
    yield* remove
    return yield* members.rest(row)
  }
  const held = yield* (yield* Credentials).find(row.credential_id)
  const isOver = held === undefined || (held.state === "minting" && held.user_id !== row.user_id)
  if (isOver) yield* remove
})

const removeByStamp = (row: CredentialRow) => Effect.flatMap(Humans, (_) => _.removeByEmail(row.email, stampOf(row)))

/** Removes what an invitation made, and its record. Only for a caller that has claimed the record. */
export const removeInvitation = Effect.fnUntraced(function* (row: CredentialRow) {
  yield* removeByStamp(row)
  yield* (yield* Members).drop(row)
})

/**
 * Removes the login of a current or former member. The record proves the
 * ownership, so the login is removed whatever its stamp is.
 */
export const removeLogin = (userId: string) => Effect.flatMap(Humans, (_) => _.remove(userId))

/**
 * The person's login as it is now. A person who has not initialised it gets another mail.
 *
 * @param mayMail is asked before that mail
 */
export const remind = Effect.fnUntraced(function* <E = never, R = never>(
  userId: string,
  mayMail: Effect.Effect<boolean, E, R> = Effect.succeed(true)
) {
  const humans = yield* Humans
  const human = yield* humans.find(userId)
  if (human?.state === "USER_STATE_INITIAL" && (yield* mayMail)) yield* humans.resendMail(userId)
  return human
})

const late: Effect.Effect<never, UpstreamError> = Effect.suspend(() =>
  Effect.fail(
    new UpstreamError({
      upstream: "zitadel",
      call: "invite",
      status: null,
      detail: `not done within ${Duration.format(timeLimit)}`
    })
  )
)
