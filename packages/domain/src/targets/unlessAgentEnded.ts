import type { Caller } from "@portico/contract/Access"
import { type TargetEntry, Targets } from "@portico/store/Targets"
import { Transactions } from "@portico/store/Transactions"
import { DateTime, Effect } from "effect"
import { unlessEnded } from "../access/unlessEnded.ts"
import { keep } from "../events/Bus.ts"
import { disabledOf } from "../deliveries/disabledOf.ts"

const makerEnded = "The agents of the tenant were ended, and one of them had made it, or said where it sends"

/** Disables a webhook or an integration that an ended agent decided on, and publishes that. */
export const disableOfEnded = Effect.fnUntraced(function* ({
  project_id,
  target_id
}: Pick<TargetEntry, "project_id" | "target_id">) {
  const off = yield* (yield* Targets).disable(project_id, target_id, makerEnded)
  if (off !== undefined) yield* keep([disabledOf(off, makerEnded, yield* DateTime.now)])
})

/**
 * Looks again, after a webhook or an integration was written, whether the agent that asked for it has been ended
 * meanwhile. `DELETE /v1/agents` marks the agents and then disables what they decided on, and sees nothing that is
 * written later: then it is disabled here. The write and this have to run to their end when a client hangs up.
 *
 * Errors: 401 of an ended agent.
 */
export const unlessAgentEnded = Effect.fnUntraced(function* (
  caller: Caller | undefined,
  written: Pick<TargetEntry, "project_id" | "target_id" | "of_agent">
) {
  if (caller?.kind !== "mcp") return
  // A change of the name, say, leaves the decision where events go with whoever made it.
  const disable =
    written.of_agent === true ? Effect.flatMap(Transactions, (_) => _.atomically(disableOfEnded(written))) : Effect.void
  yield* unlessEnded(caller, disable)
})
