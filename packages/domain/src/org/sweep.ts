import { Members } from "@portico/store/Members"
import { Effect } from "effect"
import { reconcile } from "../reconcile.ts"
import { removeInvitation } from "./login.ts"
import { finishRemoval } from "./remove.ts"

/**
 * Finishes what was cut short: rolls invitations back, because their callers
 * may not want them any more, and completes removals. Every replica runs it;
 * each record goes to one.
 */
export const sweepMembers = Effect.gen(function* () {
  yield* reconcile({
    what: "an invitation or a removal of a member",
    claim: (yield* Members).claimAbandoned,
    concurrency: 4,
    step: (row) => (row.state === "revoked" ? finishRemoval(row) : removeInvitation(row))
  })
}).pipe(Effect.withSpan("org.sweepMembers"))
