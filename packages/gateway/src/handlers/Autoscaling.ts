import { CurrentCaller, CurrentTenant } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { removeGroup, updateGroup } from "@portico/domain/autoscaling/change"
import { createGroup } from "@portico/domain/autoscaling/create"
import { listGroups, showGroup } from "@portico/domain/autoscaling/read"
import { triggerPolicy } from "@portico/domain/autoscaling/trigger"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

export const AutoscalingHandlers = HttpApiBuilder.group(OperatorApi, "autoscaling", (handlers) =>
  handlers
    .handle("list", () => Effect.flatMap(CurrentTenant, (_) => listGroups(_.projectId)))
    .handle("create", ({ payload }) =>
      Effect.gen(function* () {
        return yield* createGroup(yield* CurrentCaller, (yield* CurrentTenant).projectId, payload)
      })
    )
    .handle("show", ({ params }) => Effect.flatMap(CurrentTenant, (_) => showGroup(_.projectId, params.group_id)))
    .handle("update", ({ params, payload }) =>
      Effect.flatMap(CurrentTenant, (_) => updateGroup(_.projectId, params.group_id, payload))
    )
    .handle("remove", ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeGroup(_.projectId, params.group_id)))
    .handle("trigger", ({ params }) =>
      Effect.flatMap(CurrentTenant, (_) => triggerPolicy(_.projectId, params.group_id, params.policy))
    )
)
