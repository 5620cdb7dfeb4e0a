import { foldUsage } from "@portico/domain/credentials/usage"
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** Adds up how often credentials are used. Every replica runs it; each event is added once. */
export const UsageJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const seconds = yield* Config.Int("USAGE_SECONDS").pipe(Config.withDefault(1))
    const round = run("usage", "credential usage is not added up", foldUsage)
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(Duration.seconds(seconds))))
  })
)
