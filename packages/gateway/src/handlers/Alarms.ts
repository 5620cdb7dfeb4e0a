import { CurrentCaller, CurrentTenant } from "@portico/contract/Access"
import { OperatorApi } from "@portico/contract/Api"
import { createAlarm, removeAlarm, updateAlarm } from "@portico/domain/alarms/change"
import { listAlarms, showAlarm } from "@portico/domain/alarms/read"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

export const AlarmsHandlers = HttpApiBuilder.group(OperatorApi, "alarms", (handlers) =>
  handlers
    .handle("list", ({ query }) => Effect.flatMap(CurrentTenant, (_) => listAlarms(_.projectId, query.state)))
    .handle("create", ({ payload }) =>
      Effect.gen(function* () {
        return yield* createAlarm(yield* CurrentCaller, (yield* CurrentTenant).projectId, payload)
      })
    )
    .handle("show", ({ params }) => Effect.flatMap(CurrentTenant, (_) => showAlarm(_.projectId, params.alarm_id)))
    .handle("update", ({ params, payload }) =>
      Effect.flatMap(CurrentTenant, (_) => updateAlarm(_.projectId, params.alarm_id, payload))
    )
    .handle("remove", ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeAlarm(_.projectId, params.alarm_id)))
)
