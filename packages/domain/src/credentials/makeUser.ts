import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Fence, isFenced } from "@portico/upstream/Fence"
import { Taken, UpstreamError } from "@portico/upstream/UpstreamError"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Cause, Duration, Effect, Exit, Option, type Redacted } from "effect"
import { hashOf } from "../access/PresentedToken.ts"
import { untilCallsEnd } from "../work/untilCallsEnd.ts"
import { tenantRole } from "./machineUser.ts"

/** Shorter than the record's lease, so no replica sweeps a mint in progress. */
const timeLimit = Duration.seconds(60)

/** The result of a complete mint: its secrets, which exist here alone, and the result of `complete`. */
export interface Made<A> {
  readonly completed: A
  readonly secret: Redacted.Redacted
  readonly pat: Redacted.Redacted
}

/**
 * Creates the machine user of a record in state `minting`, and then completes the record. After a
 * failure or a disconnect of the client it removes the user, by its id and stamp, and then the
 * record. When one of its calls may still take effect, the record stays until {@link removeMint}
 * runs again. A process that dies leaves all cleanup to that run.
 *
 * @param complete gets the hash of the personal access token; undefined when the record must not be
 * completed
 * @param refused the failure in that case, after everything is removed
 */
export const withMachineUser = <A, R1, E, R2>(
  row: CredentialRow,
  complete: (patHash: string) => Effect.Effect<A | undefined, never, R1>,
  refused: Effect.Effect<never, E, R2>
) =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const credentials = yield* Credentials
      const { exit, isUnwanted } = yield* untilCallsEnd(restore, () =>
        Effect.timeoutOrElse(makeUser(row), { duration: timeLimit, orElse: () => late }).pipe(
          Effect.provideService(Fence, isBegun(row, credentials))
        )
      )
      const completed = Exit.isSuccess(exit) && !isUnwanted ? yield* complete(exit.value.patHash) : undefined
      if (Exit.isSuccess(exit) && completed !== undefined) {
        const { pat, secret } = exit.value
        return { completed, secret, pat } satisfies Made<A>
      }
      yield* Effect.ignore(unsettled(exit) ? removeUser(row) : removeMint(row), {
        log: "Warn",
        message: "what a mint has made could not be removed yet"
      })
      if (isUnwanted) return yield* Effect.interrupt
      // Where the record has gone meanwhile, the mint is refused as it is when that is seen at its end.
      const isGone = Exit.isFailure(exit) && isFenced(Option.getOrUndefined(Cause.findErrorOption(exit.cause)))
      return yield* Exit.isFailure(exit) && !isGone ? Effect.failCause(exit.cause) : refused
    })
  )

/** Removes everything that a mint created, and its record. */
export const removeMint = Effect.fnUntraced(function* (row: CredentialRow) {
  yield* removeUser(row)
  yield* (yield* Credentials).remove(row.credential_id)
})

/** The failure of a mint that exceeds its time limit. */
export const late: Effect.Effect<never, UpstreamError | Taken> = Effect.suspend(() =>
  Effect.fail(
    new UpstreamError({
      upstream: "zitadel",
      call: "mint",
      status: null,
      detail: `not done within ${Duration.format(timeLimit)}`
    })
  )
)

/** The stamp that marks a mint's user as the gateway's own. */
export const stampOf = (row: CredentialRow): string => `portico-credential:${row.credential_id}`

/** Whether the record is still there: a sweep removes that of a mint whose process stands still. */
const isBegun = (row: CredentialRow, credentials: Credentials["Service"]) =>
  Effect.map(credentials.find(row.credential_id), (_) => _?.state === "minting")

const makeUser = Effect.fnUntraced(function* (row: CredentialRow) {
  const zitadel = yield* Zitadel
  yield* zitadel.createMachineUser({
    userId: row.user_id,
    userName: row.client_id,
    name: row.label,
    stamp: stampOf(row)
  })
  const [, secret, pat] = yield* Effect.all(
    [
      zitadel.grantRole(row.user_id, tenantRole),
      zitadel.createSecret(row.user_id),
      zitadel.createToken(row.user_id, row.expires_at ?? undefined)
    ],
    { concurrency: "unbounded" }
  )
  return { secret, pat, patHash: hashOf(pat) }
})

/** Whether a call was abandoned or cut off, so its outcome is unknown. */
const unsettled = (exit: Exit.Exit<unknown, UpstreamError | Taken>): boolean => {
  if (Exit.isSuccess(exit)) return false
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return error === undefined || (error._tag === "UpstreamError" && error.unsettled)
}

const removeUser = (row: CredentialRow) => Effect.flatMap(Zitadel, (_) => _.removeUser(row.user_id, stampOf(row)))
