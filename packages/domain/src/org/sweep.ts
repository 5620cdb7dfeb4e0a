import { Members } from "@portico/store/Members"
import { Effect } from "effect"
import { removeInvitation } from "./login.ts"
import { finishRemoval } from "./remove.ts"

/**
 * Finishes what died half way: invitations backward, because nobody knows
 * whether their callers still want them, and removals forward. Every replica
 * runs it; each record goes to one.
 */
export const sweepMembers = Effect.gen(function* () {
  const abandoned = yield* (yield* Members).claimAbandoned
  yield* Effect.forEach(
    abandoned,
    (row) => Effect.ignore(row.state === "revoked" ? finishRemoval(row) : removeInvitation(row), { log: "Warn" }),
    { concurrency: 4, discard: true }
  )
}).pipe(Effect.withSpan("org.sweepMembers"))
