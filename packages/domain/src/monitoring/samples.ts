import type { AlarmState } from "@portico/contract/Autoscaling"
import type { AlarmCount } from "@portico/store/Alarms"
import type { Sample } from "@portico/upstream/prometheus/Prometheus"

/**
 * Groups the samples of a query over several series: by this label, then by the
 * series' name. A value that is not a number is null.
 */
export const byLabel = (samples: ReadonlyArray<Sample>, label: string) => {
  const values = new Map<string, Map<string, number | null>>()
  for (const { labels, value } of samples) {
    const own = labels[label] ?? ""
    const held = values.get(own) ?? new Map<string, number | null>()
    held.set(labels["__name__"] ?? "", value)
    values.set(own, held)
  }
  return values
}

/** Rounds to one decimal: further digits are noise. */
export const percentOf = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value.toFixed(1))

/** How many alarms are in each state. */
export const alarmCounts = (counts: ReadonlyArray<AlarmCount>): Readonly<Record<AlarmState, number>> => {
  const of = (state: AlarmState) => counts.filter((_) => _.state === state).reduce((sum, _) => sum + _.count, 0)
  return { ok: of("ok"), alarm: of("alarm"), insufficient_data: of("insufficient_data") }
}
