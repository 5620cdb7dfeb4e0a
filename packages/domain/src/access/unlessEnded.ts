import type { Caller } from "@portico/contract/Access"
import { Credentials } from "@portico/store/Credentials"
import { AgentSettings } from "@portico/store/AgentSettings"
import { WorkloadTokens } from "@portico/store/WorkloadTokens"
import { Clock, Effect } from "effect"
import { decisionsOf, isEnded } from "./Admission.ts"
import { standing, standingOfMakers, works } from "./bounds.ts"

/**
 * Undoes what the caller has just made when the caller's credential, or one of its makers, has
 * ended since the call was admitted; then fails with the matching 401. A removal or revocation
 * first marks the maker and then looks for what it made. This function looks at the maker after the
 * thing exists. One of the two therefore always sees the other.
 */
export const unlessEnded = Effect.fnUntraced(function* <R>(caller: Caller, takeBack: Effect.Effect<void, never, R>) {
  const standing = yield* standingOfCaller(caller)
  if (standing === "active") return
  yield* takeBack
  return yield* works(standing)
})

const standingOfCaller = Effect.fnUntraced(function* (caller: Caller) {
  const { recordId, userId } = caller
  if (yield* isEndedAgent(caller)) return "revoked"
  if (recordId === undefined) return "active"
  const now = yield* Clock.currentTimeMillis
  const held = yield* (yield* Credentials).derived({ id: recordId })
  // A person who was removed and invited again is another user under the same record id.
  if (held !== undefined) return held.user_id === userId && held.state !== "minting" ? standing(held, now) : "revoked"
  const token = yield* (yield* WorkloadTokens).find(recordId)
  return token === undefined ? "revoked" : standingOfMakers(token.makers, now)
})

/** Whether all agents of the tenant have ended since. A person's or a script's own record does not tell. */
const isEndedAgent = Effect.fnUntraced(function* (caller: Caller) {
  if (caller.kind !== "mcp" || caller.tenant === null) return false
  return isEnded(caller, decisionsOf(yield* (yield* AgentSettings).findSettled(caller.tenant.projectId)))
})
