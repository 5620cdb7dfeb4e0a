import type { Caller } from "@portico/contract/Access"
import { NotFound } from "@portico/contract/Failures"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"
import { badGateway } from "../badGateway.ts"
import { RunToCompletion } from "../RunToCompletion.ts"
import { derivedEntry } from "./entry.ts"
import { revokedOf, together } from "./told.ts"

/**
 * Revokes a credential (contract, Authentication 9), and whatever was made
 * with it: the machine user is deactivated first, then the record is marked,
 * and this process forgets it at once. Both may be repeated.
 *
 * Errors: the same 404 for an unknown id and another tenant's; 502 when the
 * identity provider refused, and then nothing was revoked.
 */
export const revoke = Effect.fn("credentials.revoke")(function* (caller: Caller, credentialId: string) {
  const credentials = yield* Credentials
  const row = yield* credentials.find(credentialId)
  if (row === undefined || !mayRevoke(caller, row)) return yield* NotFound.credential(credentialId)

  const marked = Effect.gen(function* () {
    const revoked = yield* Effect.catchTag(ended(row), "UpstreamError", badGateway)
    return yield* revoked === undefined ? NotFound.credential(credentialId) : derivedEntry(revoked)
  })
  return yield* (yield* RunToCompletion).run(marked)
})

/**
 * The machine user first, then the record, and what is told of it; then the
 * same of what it made, which works no longer from the moment on that the
 * record is marked. What fails of that part is done by `sweepRotations`.
 * Undefined when the record is gone.
 */
export const ended = Effect.fnUntraced(function* (row: CredentialRow) {
  const revoked = yield* endedAlone(row)
  const made = yield* (yield* Credentials).madeBelow(row.credential_id)
  yield* Effect.forEach(
    made.filter((_) => _.state !== "revoked"),
    (_) => Effect.ignore(endedAlone(_), { log: "Warn" }),
    { concurrency, discard: true }
  )
  return revoked
})

/** How many credentials are ended at once. */
const concurrency = 4

/** One without what it made, for those who have the whole list. */
export const endedAlone = Effect.fnUntraced(function* (row: CredentialRow) {
  yield* (yield* Zitadel).deactivateUser(row.user_id)
  const revoked = yield* together((yield* Credentials).revoke(row.credential_id), (_) =>
    _ === undefined ? [] : [revokedOf(_)]
  )
  yield* (yield* Records).forgetMaker(row)
  return revoked
})

/** A membership is a person's, and is ended where people are managed; a mint that still runs has no id yet. */
const mayRevoke = (caller: Caller, row: CredentialRow): boolean =>
  row.kind !== "member" && row.state !== "minting" && (caller.admin || caller.tenant?.projectId === row.project_id)
