import type { AlarmComparison, AlarmRule } from "@portico/contract/Alarms"
import { type InstanceMetric, metricUnits } from "@portico/contract/Metrics"
import type { AlarmEntry } from "@portico/store/Alarms"
import { AutoscalingGroups } from "@portico/store/AutoscalingGroups"
import type { Api, Grid } from "@portico/upstream/prometheus/Prometheus"
import { meanOver, selector } from "@portico/upstream/prometheus/promql"
import { instanceSeries } from "@portico/upstream/prometheus/recorded"
import { Clock, Effect } from "effect"

/** The result of an evaluation: a state with its reason, `undecided` when the state stays, or `unknown`. */
export type Verdict =
  | { readonly is: "alarm" | "ok"; readonly reason: string }
  | { readonly is: "undecided" }
  | { readonly is: "unknown"; readonly reason: string }

const nothing: Verdict = { is: "unknown", reason: "There are no measurements for all of the periods" }
const nobody: Verdict = { is: "unknown", reason: "The group has no servers" }

/**
 * Evaluates the periods of an alarm's rule. The alarm is in `alarm` when all periods are beyond the
 * threshold, and in `ok` when none is. Otherwise its state stays; an alarm without a state yet
 * takes that of the last period. If any period has no measurement, the result is unknown.
 */
export const evaluate = Effect.fnUntraced(function* (monitoring: Pick<Api, "range">, entry: AlarmEntry) {
  const { rule } = entry
  const instances = yield* instancesOf(entry)
  if (instances.length === 0) return nobody
  const grid = gridOf(rule, yield* Clock.currentTimeMillis)
  const mean = meanOver(rule.period_seconds, selector(instanceSeries[rule.metric], { instance_id: instances }))
  const [series] = yield* monitoring.range("read alarm", `avg(${mean})`, grid)
  const measured = new Map((series?.points ?? []).map((_) => [Math.round(_.at / 1000), _.value]))
  const values = Array.from(
    { length: rule.evaluation_periods },
    (_, index) => measured.get(grid.start + index * grid.step) ?? undefined
  )
  return verdictOf(entry, values)
})

/** The grid ends now, so the newest measurement counts. */
const gridOf = ({ evaluation_periods, period_seconds }: AlarmRule, now: number): Grid => {
  const end = Math.floor(now / 1000)
  return { end, start: end - (evaluation_periods - 1) * period_seconds, step: period_seconds }
}

/**
 * The ids need no ownership check: it was made when the rule was created, and Nova never reuses an
 * id. A group's servers are those last observed.
 */
const instancesOf = Effect.fnUntraced(function* ({ project_id, rule }: AlarmEntry) {
  if (rule.instance_id !== undefined) return [rule.instance_id]
  const group = yield* (yield* AutoscalingGroups).find(project_id, rule.group_id ?? "")
  return (group?.members ?? []).flatMap((_) => (_.server_id === null || _.leaving !== null ? [] : [_.server_id]))
})

/** Exported for its tests. */
export const verdictOf = (
  { rule, state }: Pick<AlarmEntry, "rule" | "state">,
  values: ReadonlyArray<number | undefined>
): Verdict => {
  const known = values.filter((_) => _ !== undefined)
  const last = known.at(-1)
  if (last === undefined || known.length < values.length) return nothing
  const beyond = known.filter((_) => isBeyond[rule.comparison](_, rule.threshold)).length
  const reason = reasonOf(rule, beyond, last)
  if (beyond === values.length) return { is: "alarm", reason }
  if (beyond === 0) return { is: "ok", reason }
  if (state !== "insufficient_data") return { is: "undecided" }
  return { is: isBeyond[rule.comparison](last, rule.threshold) ? "alarm" : "ok", reason }
}

const isBeyond: Readonly<Record<AlarmComparison, (value: number, threshold: number) => boolean>> = {
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  ge: (a, b) => a >= b,
  gt: (a, b) => a > b
}

const comparisons: Readonly<Record<AlarmComparison, string>> = {
  lt: "less than",
  le: "at most",
  eq: "equal to",
  ne: "not equal to",
  ge: "at least",
  gt: "greater than"
}

const reasonOf = (rule: AlarmRule, beyond: number, last: number): string => {
  const { comparison, evaluation_periods, metric, period_seconds, threshold } = rule
  return (
    `${metric} was ${comparisons[comparison]} ${threshold} ${unitOf(metric)} in ${beyond} of the last ` +
    `${evaluation_periods} periods of ${period_seconds} s; the last value is ${Number(last.toFixed(3))}`
  )
}

const unitOf = (metric: InstanceMetric): string => (metricUnits[metric] === "percent" ? "percent" : "bytes per second")
