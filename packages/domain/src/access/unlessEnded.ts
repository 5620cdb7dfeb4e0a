import type { Caller } from "@portico/contract/Access"
import { Credentials } from "@portico/store/Credentials"
import { WorkloadTokens } from "@portico/store/WorkloadTokens"
import { Clock, Effect } from "effect"
import { standing, standingOfMakers, works } from "./bounds.ts"

/**
 * Takes back what a caller has just made when the caller, or anything that it
 * has its rights from, has ended since the call was let in: 401 in its words.
 * A removal or revocation looks for what was made after it has marked the
 * maker, and this looks at the maker after the thing is there, so that one of
 * them sees the other.
 */
export const unlessEnded = Effect.fnUntraced(function* <R>(caller: Caller, takeBack: Effect.Effect<void, never, R>) {
  const standing = yield* standingOfCaller(caller)
  if (standing === "active") return
  yield* takeBack
  return yield* works(standing)
})

const standingOfCaller = Effect.fnUntraced(function* ({ recordId, userId }: Caller) {
  if (recordId === undefined) return "active"
  const now = yield* Clock.currentTimeMillis
  const held = yield* (yield* Credentials).derived({ id: recordId })
  // A person who was removed and invited again is another user under the same id.
  if (held !== undefined) return held.user_id === userId && held.state !== "minting" ? standing(held, now) : "revoked"
  const token = yield* (yield* WorkloadTokens).find(recordId)
  return token === undefined ? "revoked" : standingOfMakers(token.makers, now)
})
