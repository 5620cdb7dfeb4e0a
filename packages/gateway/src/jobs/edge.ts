import { reconcileExposures, sweepEdge } from "@portico/domain/edge/reconcile"
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** Keeps what is exposed at the edge to what the tenants have. Every replica runs it; each exposure goes to one. */
export const EdgeJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const seconds = yield* Config.Int("EDGE_SECONDS").pipe(Config.withDefault(10))
    const sweepSeconds = yield* Config.Int("EDGE_SWEEP_SECONDS").pipe(Config.withDefault(300))
    const interval = Duration.seconds(seconds)
    yield* Effect.forkScoped(every(seconds, "exposures", "exposures are not looked at", reconcileExposures(interval)))
    yield* Effect.forkScoped(
      every(sweepSeconds, "edge_leftovers", "leftovers at the edge are not looked for", sweepEdge())
    )
  })
)

/** The first time after the interval, so that a start asks nobody anything. */
const every = <E, R>(seconds: number, job: string, trouble: string, round: Effect.Effect<void, E, R>) =>
  run(job, trouble, round).pipe(
    Effect.repeat(Schedule.spaced(Duration.seconds(seconds))),
    Effect.delay(Duration.seconds(seconds))
  )
