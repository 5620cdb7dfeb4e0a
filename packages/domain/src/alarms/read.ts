import type { AlarmState } from "@portico/contract/Autoscaling"
import { NotFound } from "@portico/contract/Failures"
import { Alarms } from "@portico/store/Alarms"
import { Effect } from "effect"
import { alarmRecord } from "./record.ts"

/** A tenant's alarms, oldest first, as of their last evaluation; with a state, those in that state alone. */
export const listAlarms = Effect.fn("alarms.list")(function* (projectId: string, state: AlarmState | undefined) {
  const alarms = (yield* (yield* Alarms).list(projectId))
    .filter((_) => state === undefined || _.state === state)
    .map(alarmRecord)
  return { count: alarms.length, alarms }
})

/** Errors: 404 alike for another tenant's alarm, an unknown one and a malformed id. */
export const showAlarm = Effect.fn("alarms.show")(function* (projectId: string, alarmId: string) {
  return alarmRecord((yield* (yield* Alarms).find(projectId, alarmId)) ?? (yield* NotFound.alarm(alarmId)))
})
