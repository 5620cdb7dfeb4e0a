import { Background } from "@portico/domain/health/readiness"
import {
  type Count,
  type Durations,
  type Labels,
  metricsRegistry,
  type MetricsRegistry
} from "@portico/upstream/MetricsRegistry"
import { SessionPlace } from "@portico/store/client/SessionPlace"
import { StatementTime } from "@portico/store/client/inTime"
import { Clock, Config, Context, Duration, Effect, Layer, Option, Scope } from "effect"
import { DatabaseShares } from "../limits/DatabaseShares.ts"
import { backgroundJobs } from "../settings/backgroundJobs.ts"

interface Counts {
  readonly runs: Count
  readonly failures: Count
  readonly durations: Durations
  /** Seconds since 1970. */
  succeeded: number
  failedInARow: number
}

/** Failures in a row after which a job counts as behind. One or two may come from a restart of a system. */
const behindAfter = 3

/** How long a statement of a job may take: pruning and folding go through many rows, and no client waits. */
const statementTime = Duration.minutes(1)

/** Counts of background jobs. Without {@link layer} there are none. */
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

/** The counts, and the state that readiness reports. */
export const layer = Layer.effect(
  Background,
  Effect.gen(function* () {
    const where = yield* backgroundJobs
    const { isBehind } = yield* JobCounts
    // Probes run everywhere, and are jobs too.
    return { state: () => (isBehind() ? "behind" : where === "here" ? "ok" : "elsewhere") }
  })
).pipe(Layer.provideMerge(counted))

const countsOf = (all: MetricsRegistry, labels: Labels): Counts => {
  const counts: Counts = {
    runs: all.count("portico_job_runs_total", "Completed rounds of background jobs.", labels),
    failures: all.count("portico_job_failures_total", "Failed rounds of background jobs.", labels),
    durations: all.durations("portico_job_duration_seconds", "Duration of the rounds of background jobs.", labels),
    succeeded: 0,
    failedInARow: 0
  }
  const description = "Unix time of the last successful round of the job in this process; 0 before the first."
  all.gauge("portico_job_last_success_timestamp_seconds", description, labels, () => counts.succeeded)
  return counts
}

/** A background job that runs until its scope ends. */
export interface Job<E, R> {
  /** Name in metrics and logs: what it does, and to what, like `sweep_onboardings`. */
  readonly name: string
  /** Interval between two rounds. */
  readonly every: Duration.Duration
  /** Delay of the first round. By default the interval, so a start sends no requests to other systems. */
  readonly after?: Duration.Duration
  /** Waits between two rounds. For jobs whose wait an event may end early. */
  readonly pause?: (every: Duration.Duration) => Effect.Effect<void>
  /** How many rounds run at once. */
  readonly workers?: number
  /** Whether it runs at all. */
  readonly when?: boolean
  readonly round: Effect.Effect<unknown, E, R>
}

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

/**
 * Starts jobs that stop all at once: while one is slow to stop, none of the
 * others goes on claiming work.
 */
export const stoppingTogether = Effect.fnUntraced(function* <A, E, R>(start: Effect.Effect<A, E, R>) {
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  return yield* Effect.provideService(start, Scope.Scope, scope)
})

/** A setting in whole seconds. */
export const seconds = (setting: string, fallback: number) =>
  Config.map(Config.withDefault(Config.Int(setting), fallback), Duration.seconds)

/** One round of the job. A failure is logged and counted, and does not stop the job. */
export const run = <E, R>(name: string, round: Effect.Effect<unknown, E, R>): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const counts = (yield* JobCounts).of(name)
    const shares = Option.getOrUndefined(yield* Effect.serviceOption(DatabaseShares))
    const began = yield* Clock.currentTimeMillis
    const succeeded = yield* round.pipe(
      Effect.provideService(SessionPlace, shares?.job(name)),
      Effect.provideService(StatementTime, statementTime),
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

/**
 * Deletes what has expired in batches until one is not whole. One batch a round may be less than what expires meanwhile.
 *
 * @param prune deletes one batch, and returns the number of deleted rows
 */
export const inBatches = <E, R>(batch: number, prune: Effect.Effect<number, E, R>): Effect.Effect<number, E, R> =>
  Effect.repeat(prune, { while: (_) => _ === batch })
