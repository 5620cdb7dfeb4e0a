import { sweepMints } from "@portico/domain/credentials/mint"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { Config, Duration, Effect, Layer, Schedule } from "effect"

/** Finishes, now and then, what died half way. Every replica runs it; each entry goes to one. */
export const SweepJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const interval = yield* Config.Int("SWEEP_SECONDS").pipe(Config.withDefault(15))
    const round = Effect.all([sweep, sweepMints], { discard: true }).pipe(
      Effect.catchCause((cause) => Effect.logError("a sweep failed", cause))
    )
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(Duration.seconds(interval))))
  })
)
