import type { Caller } from "@portico/contract/Access"
import { NotFound } from "@portico/contract/Failures"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"
import { badGateway } from "../badGateway.ts"
import { Owned } from "../Owned.ts"
import { entryOf } from "./entry.ts"

/**
 * Revokes a credential (contract, Authentication 9): the machine user is
 * deactivated first, then the record is marked, and this process forgets it at
 * once. Both may be repeated.
 *
 * Errors: the same 404 for an unknown id and another tenant's; 502 when the
 * identity provider refused, and then nothing was revoked.
 */
export const revoke = Effect.fn("credentials.revoke")(function* (caller: Caller, credentialId: string) {
  const credentials = yield* Credentials
  const row = yield* credentials.find(credentialId)
  if (row === undefined || !mayRevoke(caller, row)) return yield* NotFound.credential(credentialId)

  const marked = Effect.gen(function* () {
    yield* Effect.catchTag((yield* Zitadel).deactivateUser(row.user_id), "UpstreamError", badGateway)
    const revoked = yield* credentials.revoke(credentialId)
    yield* (yield* Records).forget(row.user_id)
    return yield* revoked === undefined ? NotFound.credential(credentialId) : entryOf(revoked)
  })
  return yield* (yield* Owned).run(marked)
})

/** A membership is a person's, and is ended where people are managed; a mint that still runs has no id yet. */
const mayRevoke = (caller: Caller, row: CredentialRow): boolean =>
  row.kind !== "member" && row.state !== "minting" && (caller.admin || caller.tenant?.projectId === row.project_id)
