import { CurrentCaller, CurrentTenant } from "@portico/contract/Access"
import { Effect } from "effect"

/** Whose webhooks and integrations a call changes, and who makes it. */
export const asking = Effect.gen(function* () {
  return { projectId: (yield* CurrentTenant).projectId, caller: yield* CurrentCaller }
})
