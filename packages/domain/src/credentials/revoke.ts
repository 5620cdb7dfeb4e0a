import type { Caller } from "@portico/contract/Access"
import { NotFound } from "@portico/contract/Failures"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { DateTime, Effect } from "effect"
import { projectOf } from "../access/reach.ts"
import { Records } from "../access/Records.ts"
import { badGateway } from "../badGateway.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { toWireWithMakers } from "./list.ts"
import { revokedOf, withEvents } from "./events.ts"

/**
 * Revokes a credential (contract, Authentication 9) and every credential made with it, also the one by which it
 * replaced itself while both still work: a thief may have rotated it. It deactivates the machine user first, then marks the record, and this process drops it from its
 * cache at once. Both steps may be repeated.
 *
 * Errors: 404 alike for an unknown id and another tenant's; 502 when the identity provider fails,
 * and then the credential is not revoked.
 */
export const revoke = Effect.fn("credentials.revoke")(function* (caller: Caller, credentialId: string) {
  const credentials = yield* Credentials
  const row = yield* credentials.find(credentialId, projectOf(caller))
  if (row === undefined || !isRevocable(row)) return yield* NotFound.credential(credentialId)

  const marked = Effect.gen(function* () {
    // While a credential works its successor cannot be rotated: that goes first, and nothing comes of it meanwhile.
    yield* endSuccessors(row, caller.recordId)
    const revoked = yield* ended(row)
    if (revoked === undefined) return yield* NotFound.credential(credentialId)
    // A rotation may have been under way.
    yield* endSuccessors(revoked, caller.recordId)
    return yield* toWireWithMakers(revoked)
  }).pipe(Effect.catchTag("UpstreamError", badGateway))
  return yield* (yield* RunToCompletion).run(marked)
})

/**
 * Deactivates the machine user, marks the record and publishes the event; then does the same for
 * every credential made with it. Those stop working as soon as the record is marked.
 * `sweepRotations` retries what fails of that second part. Undefined when the record is gone.
 */
export const ended = Effect.fnUntraced(function* (row: CredentialRow) {
  const revoked = yield* endedAlone(row)
  const made = yield* (yield* Credentials).madeBelow(row.credential_id)
  yield* Effect.forEach(
    made.filter((_) => _.state !== "revoked"),
    (_) =>
      Effect.ignore(endedAlone(_), {
        log: "Warn",
        message: "a credential made with a revoked one could not be revoked yet"
      }),
    { concurrency, discard: true }
  )
  return revoked
})

/**
 * Ends what a credential replaced itself with, and what that did.
 *
 * @param spared the record of the caller: a successor itself may end the overlap
 */
const endSuccessors = Effect.fnUntraced(function* (row: CredentialRow, spared: string | undefined) {
  let last: CredentialRow | undefined = row
  while (last !== undefined) {
    const successor: CredentialRow | undefined = yield* ownSuccessor(last)
    if (successor === undefined || successor.credential_id === spared) return
    last = successor.state === "revoked" ? successor : yield* ended(successor)
  }
})

/** The credential by which one replaced itself, unless it ends, or has ended, with their overlap. */
const ownSuccessor = Effect.fnUntraced(function* ({ revoked_at, revokes_at, rotated_to, user_id }: CredentialRow) {
  if (rotated_to === null || revokes_at === null) return undefined
  const end = revoked_at ?? (yield* DateTime.now)
  if (DateTime.isGreaterThanOrEqualTo(end, revokes_at)) return undefined
  const successor = yield* (yield* Credentials).find(rotated_to)
  return successor?.created_by === user_id ? successor : undefined
})

/** How many credentials are revoked at once. */
const concurrency = 4

/** Revokes one credential alone, for callers that have the whole list. */
export const endedAlone = Effect.fnUntraced(function* (row: CredentialRow) {
  yield* (yield* Zitadel).deactivateUser(row.user_id)
  const revoked = yield* withEvents((yield* Credentials).revoke(row.credential_id), (_) =>
    _ === undefined ? [] : [revokedOf(_)]
  )
  // A mint under way may have made the user after it was looked for; from the mark on it makes none that stays.
  if (row.state === "minting") yield* (yield* Zitadel).deactivateUser(row.user_id)
  yield* (yield* Records).forgetMaker(row)
  return revoked
})

/** A membership ends where people are managed, and a mint in progress has no published id yet. */
const isRevocable = ({ kind, state }: CredentialRow): boolean => kind !== "member" && state !== "minting"
