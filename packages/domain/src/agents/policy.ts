import type { Caller } from "@portico/contract/Access"
import type { AgentPolicyDocument, AgentPolicyRequest } from "@portico/contract/Agents"
import { confirmedByDefault } from "@portico/contract/Agents"
import { AgentSettings, type AgentSettingsRow } from "@portico/store/AgentSettings"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"
import { isoOrNull } from "../isoOrNull.ts"
import { projectOf, projectToChange } from "../policy/scope.ts"

const toWire = (row: AgentSettingsRow | undefined): AgentPolicyDocument => ({
  enabled: row?.enabled ?? true,
  confirm: row?.confirm ?? confirmedByDefault,
  updated_at: isoOrNull(row?.updated_at ?? null),
  updated_by: row?.updated_by ?? null,
  ended_at: isoOrNull(row?.ended_at ?? null)
})

/** Shows the policy of a tenant for its agents. Errors: those of {@link projectOf}. */
export const showAgentPolicy = Effect.fn("agents.showPolicy")(function* (caller: Caller, named: string | undefined) {
  return toWire(yield* (yield* AgentSettings).find(yield* projectOf(caller, named)))
})

/** Replaces the policy. It applies in every process within a second. Errors: those of {@link projectToChange}. */
export const putAgentPolicy = Effect.fn("agents.putPolicy")(function* (
  caller: Caller,
  named: string | undefined,
  { confirm, enabled }: AgentPolicyRequest
) {
  const project_id = yield* projectToChange(caller, named)
  const row = yield* (yield* AgentSettings).put({
    project_id,
    enabled,
    confirm: [...new Set(confirm)],
    updated_by: caller.userId
  })
  yield* (yield* Records).forgetProject(project_id)
  return toWire(row)
})
