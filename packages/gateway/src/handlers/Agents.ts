import { CurrentCaller, CurrentTenant } from "@portico/contract/Access"
import { Agents } from "@portico/contract/Agents"
import { apiOf } from "@portico/contract/Api"
import { pageRequestOf } from "@portico/contract/Page"
import { endAgents } from "@portico/domain/agents/end"
import { listAgents } from "@portico/domain/agents/list"
import { mintAgent } from "@portico/domain/agents/mint"
import { putAgentPolicy, showAgentPolicy } from "@portico/domain/agents/policy"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const AgentsHandlers = HttpApiBuilder.group(apiOf(Agents), "agents", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      mint: ({ payload }) =>
        Effect.gen(function* () {
          return yield* mintAgent(yield* CurrentCaller, yield* CurrentTenant, payload)
        }),
      list: ({ query }) =>
        Effect.flatMap(CurrentCaller, (caller) =>
          listAgents(caller, query.include_revoked, query.project_id, pageRequestOf(query))
        ),
      end: ({ query }) => Effect.flatMap(CurrentCaller, (caller) => endAgents(caller, query.project_id)),
      showPolicy: ({ query }) => Effect.flatMap(CurrentCaller, (caller) => showAgentPolicy(caller, query.project_id)),
      putPolicy: ({ payload, query }) =>
        Effect.flatMap(CurrentCaller, (caller) => putAgentPolicy(caller, query.project_id, payload))
    })
  )
)
