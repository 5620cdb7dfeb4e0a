import { Background } from "@portico/domain/health/Background"
import { type Count, type Durations, type Labels, type Series, series } from "@portico/upstream/Series"
import { Clock, Context, Effect, Layer } from "effect"

interface Counts {
  readonly runs: Count
  readonly failures: Count
  readonly durations: Durations
  /** Seconds since 1970. */
  succeeded: number
  failedInARow: number
}

/** A job that failed once or twice may have met a restart of something. */
const behindAfter = 3

/** What is counted of background jobs. Without {@link layer} nothing is. */
export const JobCounts = Context.Reference<{ of(job: string): Counts | undefined; isBehind(): boolean }>(
  "portico/gateway/jobs/JobCounts",
  { defaultValue: () => ({ of: () => undefined, isBehind: () => false }) }
)

const counted = Layer.effect(
  JobCounts,
  Effect.map(series, (all) => {
    const known = new Map<string, Counts>()
    const of = (job: string): Counts => {
      const held = known.get(job)
      if (held !== undefined) return held
      const counts = countsOf(all, { task: job })
      known.set(job, counts)
      return counts
    }
    return { of, isBehind: () => [...known.values()].some((_) => _.failedInARow >= behindAfter) }
  })
)

/** The counts, and what readiness says of them. */
export const layer = Layer.effect(Background, JobCounts).pipe(Layer.provideMerge(counted))

const countsOf = (all: Series, labels: Labels): Counts => {
  const counts: Counts = {
    runs: all.count("portico_job_runs_total", "Rounds of background jobs.", labels),
    failures: all.count("portico_job_failures_total", "Rounds of background jobs that failed.", labels),
    durations: all.durations("portico_job_duration_seconds", "How long rounds of background jobs took.", labels),
    succeeded: 0,
    failedInARow: 0
  }
  const description = "When a round of the job last went well in this process, since 1970; 0 for not yet."
  all.gauge("portico_job_last_success_timestamp_seconds", description, labels, () => counts.succeeded)
  return counts
}

/**
 * One round of a background job. A failure is logged and counted, and ends nothing.
 *
 * @param job its name in the metrics: `sweep_onboardings`
 * @param trouble what the log says when it fails
 */
export const run = <A, E, R>(
  job: string,
  trouble: string,
  round: Effect.Effect<A, E, R>
): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const counts = (yield* JobCounts).of(job)
    const began = yield* Clock.currentTimeMillis
    const succeeded = yield* round.pipe(
      Effect.as(true),
      Effect.catchCause((cause) => Effect.as(Effect.logError(trouble, cause), false))
    )
    if (counts === undefined) return
    const now = yield* Clock.currentTimeMillis
    counts.runs.value += 1
    counts.durations.add((now - began) / 1000)
    counts.failedInARow = succeeded ? 0 : counts.failedInARow + 1
    if (succeeded) counts.succeeded = now / 1000
    else counts.failures.value += 1
  })
