import { CurrentCaller, CurrentTenant } from "@portico/contract/Access"
import { Alarms } from "@portico/contract/Alarms"
import { apiOf } from "@portico/contract/Api"
import { createAlarm, removeAlarm, updateAlarm } from "@portico/domain/alarms/change"
import { listAlarms, showAlarm } from "@portico/domain/alarms/read"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { exact } from "./exact.ts"

export const AlarmsHandlers = HttpApiBuilder.group(apiOf(Alarms), "alarms", (handlers) =>
  handlers.handleAll(
    exact(handlers, {
      list: ({ query }) => Effect.flatMap(CurrentTenant, (_) => listAlarms(_.projectId, query.state)),
      create: ({ payload }) =>
        Effect.gen(function* () {
          return yield* createAlarm(yield* CurrentCaller, (yield* CurrentTenant).projectId, payload)
        }),
      show: ({ params }) => Effect.flatMap(CurrentTenant, (_) => showAlarm(_.projectId, params.alarm_id)),
      update: ({ params, payload }) =>
        Effect.gen(function* () {
          return yield* updateAlarm(yield* CurrentCaller, (yield* CurrentTenant).projectId, params.alarm_id, payload)
        }),
      remove: ({ params }) => Effect.flatMap(CurrentTenant, (_) => removeAlarm(_.projectId, params.alarm_id))
    })
  )
)
