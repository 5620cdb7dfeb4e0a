import type { Alarm } from "@portico/contract/Alarms"
import type { AlarmEntry } from "@portico/store/Alarms"
import { DateTime } from "effect"
import { isoOrNull } from "../isoOrNull.ts"

/** An alarm as its tenant sees it. */
export const alarmRecord = (entry: AlarmEntry): Alarm => ({
  alarm_id: entry.alarm_id,
  name: entry.name,
  description: entry.description,
  severity: entry.severity,
  enabled: entry.enabled,
  rule: entry.rule,
  state: entry.state,
  reason: entry.reason,
  last_transition_at: isoOrNull(entry.last_transition_at),
  evaluated_at: isoOrNull(entry.evaluated_at),
  created_at: DateTime.formatIso(entry.created_at)
})
