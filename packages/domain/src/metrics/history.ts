import { Unprocessable } from "@portico/contract/Failures"
import { type InstanceMetric, type MetricHistory, metricSteps, metricUnits } from "@portico/contract/Metrics"
import { type Grid, gridOf, type Series } from "@portico/upstream/prometheus/Prometheus"
import { meanOver, selector } from "@portico/upstream/prometheus/promql"
import { instanceSeries } from "@portico/upstream/prometheus/recorded"
import { Clock, DateTime, Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { ownInstance } from "./instance.ts"
import { monitoringService } from "./monitoring.ts"

/** The metric and the time span to read. Moments are in RFC 3339, `step` is in seconds. */
export interface HistoryQuery {
  readonly metric?: InstanceMetric
  readonly from?: string
  readonly to?: string
  readonly step?: number
}

/** The highest number of points in one answer. */
export const historyPoints = 1000

const defaultSpan = 3600
const defaultStep = 60
/** In seconds. The monitoring keeps no measurements for longer. */
const longestSpan = 366 * 86_400

/**
 * The measurements of one of the tenant's instances: one point a step, each the
 * mean of the step before it, null where nothing was measured.
 *
 * Errors: 404 for the instance, and on a cloud without monitoring; 422 for an
 * invalid span; 502 when Nova or the monitoring cannot be read.
 */
export const showHistory = Effect.fn("metrics.history")(function* (
  projectId: string,
  instanceId: string,
  query: HistoryQuery
) {
  const monitoring = yield* monitoringService
  const span = yield* spanOf(query)
  yield* ownInstance(projectId, instanceId)
  const { metric = "cpu", step: least = defaultStep } = query
  const grid = gridOf({ ...span, least, points: historyPoints - 1 })
  const series = yield* Effect.mapError(
    monitoring.range(
      "read history",
      // One instance may have two series for a while, for example after a move.
      `avg(${meanOver(grid.step, selector(instanceSeries[metric], { instance_id: instanceId }))})`,
      grid
    ),
    badGateway
  )
  return {
    instance_id: instanceId,
    metric,
    unit: metricUnits[metric],
    from: isoOf(grid.start),
    to: isoOf(grid.end),
    step_seconds: grid.step,
    points: pointsOf(grid, series[0])
  } satisfies MetricHistory
})

/** In whole seconds since the epoch. */
const spanOf = Effect.fnUntraced(function* ({ from, to }: HistoryQuery) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const span = { from: 0, to: to === undefined ? now : secondsOf(to) }
  span.from = from === undefined ? span.to - defaultSpan : secondsOf(from)
  if (span.from >= span.to) return yield* Unprocessable.metricSpan("The end must be later than the beginning")
  if (span.to > now + metricSteps.most) return yield* Unprocessable.metricSpan("The end lies more than a day ahead")
  if (span.to - span.from > longestSpan) return yield* Unprocessable.metricSpan("A span has 366 days at most")
  if (span.from < 0) return yield* Unprocessable.metricSpan("Nothing was measured before 1970")
  return span
})

const secondsOf = (moment: string): number => Math.floor(DateTime.toEpochMillis(DateTime.makeUnsafe(moment)) / 1000)

const isoOf = (seconds: number): string => DateTime.formatIso(DateTime.makeUnsafe(seconds * 1000))

/** Prometheus returns no point where nothing was measured. */
const pointsOf = ({ end, start, step }: Grid, series: Series | undefined): MetricHistory["points"] => {
  const measured = new Map((series?.points ?? []).map((_) => [Math.round(_.at / 1000), _.value]))
  return Array.from({ length: (end - start) / step + 1 }, (_, index) => {
    const at = start + index * step
    return { at: isoOf(at), value: measured.get(at) ?? null }
  })
}
