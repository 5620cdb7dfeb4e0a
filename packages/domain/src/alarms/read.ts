import type { AlarmState } from "@portico/contract/Autoscaling"
import { NotFound } from "@portico/contract/Failures"
import { Alarms } from "@portico/store/Alarms"
import { Effect } from "effect"
import { alarmRecord } from "./record.ts"

/** A tenant's alarms, oldest first, as they were last looked at; those of one state alone when it is named. */
export const listAlarms = Effect.fn("alarms.list")(function* (projectId: string, state: AlarmState | undefined) {
  const alarms = (yield* (yield* Alarms).list(projectId))
    .filter((_) => state === undefined || _.state === state)
    .map(alarmRecord)
  return { count: alarms.length, alarms }
})

/** Errors: 404 for another tenant's, nobody's and a malformed id alike. */
export const showAlarm = Effect.fn("alarms.show")(function* (projectId: string, alarmId: string) {
  return alarmRecord((yield* (yield* Alarms).find(projectId, alarmId)) ?? (yield* NotFound.alarm(alarmId)))
})
