import type { Caller } from "@portico/contract/Access"
import { NotFound } from "@portico/contract/Failures"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"
import { badGateway } from "../badGateway.ts"
import { RunToCompletion } from "../RunToCompletion.ts"
import { toWireWithMakers } from "./list.ts"
import { revokedOf, withEvents } from "./events.ts"

/**
 * Revokes a credential (contract, Authentication 9) and every credential made with it. It
 * deactivates the machine user first, then marks the record, and this process drops it from its
 * cache at once. Both steps may be repeated.
 *
 * Errors: 404 alike for an unknown id and another tenant's; 502 when the identity provider fails,
 * and then nothing is revoked.
 */
export const revoke = Effect.fn("credentials.revoke")(function* (caller: Caller, credentialId: string) {
  const credentials = yield* Credentials
  const row = yield* credentials.find(credentialId)
  if (row === undefined || !mayRevoke(caller, row)) return yield* NotFound.credential(credentialId)

  const marked = Effect.gen(function* () {
    const revoked = yield* Effect.catchTag(ended(row), "UpstreamError", badGateway)
    return yield* revoked === undefined ? NotFound.credential(credentialId) : toWireWithMakers(revoked)
  })
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
    (_) => Effect.ignore(endedAlone(_), { log: "Warn" }),
    { concurrency, discard: true }
  )
  return revoked
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
const mayRevoke = (caller: Caller, row: CredentialRow): boolean =>
  row.kind !== "member" && row.state !== "minting" && (caller.admin || caller.tenant?.projectId === row.project_id)
