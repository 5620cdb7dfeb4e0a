import { reconcileGroups } from "@portico/domain/autoscaling/reconcile"
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** A tenant whose platform is slow does not keep the others waiting. */
const workers = 4

/** Brings autoscaling groups to what is wanted of them. Every replica runs it; each group goes to one at a time. */
export const AutoscalingJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const seconds = yield* Config.Int("AUTOSCALING_SECONDS").pipe(Config.withDefault(1))
    const worker = run("autoscaling", "autoscaling groups are not attended to", reconcileGroups).pipe(
      Effect.repeat(Schedule.spaced(Duration.seconds(seconds))),
      Effect.delay(Duration.seconds(seconds))
    )
    for (let count = 0; count < workers; count++) yield* Effect.forkScoped(worker)
  })
)
