import { AgentPolicy } from "@portico/agent/AgentPolicy"
import { confirmedByDefault } from "@portico/contract/Agents"
import { Admission } from "@portico/domain/access/Admission"
import { Effect, Layer } from "effect"

/** The tenant's policy for its agents, at most a second old. */
export const AgentPolicyLive = Layer.effect(
  AgentPolicy,
  Effect.map(Admission, ({ decided }) =>
    AgentPolicy.of({
      of: ({ caller: { tenant } }) =>
        tenant === null
          ? Effect.succeed({ enabled: true, confirm: confirmedByDefault })
          : Effect.map(decided(tenant.projectId), ({ confirm, enabled }) => ({ enabled, confirm }))
    })
  )
)
