import type { Caller } from "@portico/contract/Access"
import { Unauthorized } from "@portico/contract/Failures"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Effect } from "effect"

/**
 * Takes the record of a credential back when its maker is a member who is
 * being removed, or has been since the call was let in. The removal looks for
 * credentials after it has marked the member, and this looks at the member
 * after the credential is there, so that one of them sees the other.
 */
export const unlessRemoved = Effect.fnUntraced(function* (caller: Caller, made: CredentialRow) {
  if (!caller.human || caller.credentialId === null) return
  const credentials = yield* Credentials
  const held = yield* credentials.find(caller.credentialId)
  if (held?.user_id === caller.userId && held.state === "active") return
  yield* credentials.remove(made.credential_id)
  return yield* Unauthorized.revoked()
})
