import { Background } from "@portico/domain/health/Background"
import {
  type Count,
  type Durations,
  type Labels,
  type MetricsRegistry,
  metricsRegistry
} from "@portico/upstream/MetricsRegistry"
import { Clock, Config, Context, Duration, Effect, Layer } from "effect"

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
  Effect.map(metricsRegistry, (all) => {
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

const countsOf = (all: MetricsRegistry, labels: Labels): Counts => {
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

/** A job that runs in the background for as long as its scope. */
export interface Job<E, R> {
  /** In metrics and logs: what it does, and to what, like `sweep_onboardings`. */
  readonly name: string
  /** Between two rounds. */
  readonly every: Duration.Duration
  /** Before the first round. Usually as long as between two, so that a start asks nobody anything. */
  readonly after?: Duration.Duration
  /** Waits between two rounds, where something may end the wait early. */
  readonly pause?: (every: Duration.Duration) => Effect.Effect<void>
  /** How many rounds run at once. */
  readonly workers?: number
  /** Whether it runs at all. */
  readonly when?: boolean
  readonly round: Effect.Effect<unknown, E, R>
}

/** Starts a job. */
export const job = <E, R>({
  every,
  after = every,
  name,
  pause = Effect.sleep,
  round,
  when = true,
  workers = 1
}: Job<E, R>) =>
  Effect.replicateEffect(
    Effect.forkScoped(Effect.delay(Effect.forever(Effect.andThen(run(name, round), pause(every))), after)),
    when ? workers : 0,
    { discard: true }
  )

/** A setting in seconds. */
export const seconds = (setting: string, unless: number) =>
  Config.map(Config.withDefault(Config.Int(setting), unless), Duration.seconds)

/** One round of the job of that name. A failure is logged and counted, and ends nothing. */
export const run = <E, R>(name: string, round: Effect.Effect<unknown, E, R>): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const counts = (yield* JobCounts).of(name)
    const began = yield* Clock.currentTimeMillis
    const succeeded = yield* round.pipe(
      Effect.as(true),
      Effect.catchCause((cause) => Effect.as(Effect.logError(`the job ${name} failed`, cause), false))
    )
    if (counts === undefined) return
    const now = yield* Clock.currentTimeMillis
    counts.runs.value += 1
    counts.durations.add((now - began) / 1000)
    counts.failedInARow = succeeded ? 0 : counts.failedInARow + 1
    if (succeeded) counts.succeeded = now / 1000
    else counts.failures.value += 1
  })
