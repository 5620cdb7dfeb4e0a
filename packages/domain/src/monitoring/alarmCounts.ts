import type { AlarmState } from "@portico/contract/Autoscaling"
import type { AlarmCount } from "@portico/store/Alarms"

/** How many of them have each state. */
export const alarmCounts = (counts: ReadonlyArray<AlarmCount>): Readonly<Record<AlarmState, number>> => {
  const of = (state: AlarmState) => counts.filter((_) => _.state === state).reduce((sum, _) => sum + _.count, 0)
  return { ok: of("ok"), alarm: of("alarm"), insufficient_data: of("insufficient_data") }
}
