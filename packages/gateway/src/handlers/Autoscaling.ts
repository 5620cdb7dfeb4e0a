import { CurrentCaller, CurrentTenant } from "@portico/contract/Access"
import { apiOf } from "@portico/contract/Api"
import { Autoscaling } from "@portico/contract/Autoscaling"
import { removeGroup, updateGroup } from "@portico/domain/autoscaling/change"
import { createGroup } from "@portico/domain/autoscaling/create"
import { listGroups, showGroup } from "@portico/domain/autoscaling/read"
import { triggerPolicy } from "@portico/domain/autoscaling/trigger"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const AutoscalingHandlers = HttpApiBuilder.group(apiOf(Autoscaling), "autoscaling", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: () => Effect.flatMap(CurrentTenant, (_) => listGroups(_.projectId)),
      create: ({ payload }) =>
        Effect.gen(function* () {
          return yield* createGroup(yield* CurrentCaller, (yield* CurrentTenant).projectId, payload)
        }),
      show: ({ params }) => Effect.flatMap(CurrentTenant, (_) => showGroup(_.projectId, params.group_id)),
      update: ({ params, payload }) =>
        Effect.gen(function* () {
          const { projectId } = yield* CurrentTenant
          return yield* updateGroup(yield* CurrentCaller, projectId, params.group_id, payload)
        }),
      remove: ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeGroup(_.projectId, params.group_id)),
      trigger: ({ params }) =>
        Effect.gen(function* () {
          const { projectId } = yield* CurrentTenant
          return yield* triggerPolicy(yield* CurrentCaller, projectId, params.group_id, params.policy)
        })
    })
  )
)
