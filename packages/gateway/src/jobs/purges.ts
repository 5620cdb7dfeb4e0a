import { reconcilePurges } from "@portico/domain/projects/purge"
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** One project that is slow to empty does not keep the others waiting. */
const workers = 4

/** Carries out deletions of projects. Every replica runs it; each goes to one at a time. */
export const PurgeJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const seconds = yield* Config.Int("PURGE_SECONDS").pipe(Config.withDefault(2))
    const worker = run("purges", "deletions of projects are not carried out", reconcilePurges).pipe(
      Effect.repeat(Schedule.spaced(Duration.seconds(seconds))),
      Effect.delay(Duration.seconds(seconds))
    )
    for (let count = 0; count < workers; count++) yield* Effect.forkScoped(worker)
  })
)
