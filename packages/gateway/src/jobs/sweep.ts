import { sweepMints } from "@portico/domain/credentials/mint"
import { sweepRotations } from "@portico/domain/credentials/rotate"
import { pruneEvents } from "@portico/domain/events/prune"
import { sweepMembers } from "@portico/domain/org/sweep"
import { sweep } from "@portico/domain/onboarding/withdraw"
import { rotateKeys } from "@portico/domain/registry/SigningKeys"
import { sweepTokens } from "@portico/domain/workloadIdentity/exchange"
import { IdempotencyKeys } from "@portico/store/IdempotencyKeys"
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** Finishes, now and then, what died half way. Every replica runs it; each entry goes to one. */
export const SweepJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const interval = yield* Config.Int("SWEEP_SECONDS").pipe(Config.withDefault(15))
    const round = Effect.all(
      [
        alone("sweeping onboardings", sweep),
        alone("sweeping mints", sweepMints),
        alone("sweeping members", sweepMembers),
        alone("sweeping rotations", sweepRotations),
        alone("sweeping tokens", sweepTokens),
        alone("rotating the registry's keys", rotateKeys),
        alone("pruning the event log", pruneEvents),
        alone(
          "pruning idempotency keys",
          Effect.flatMap(IdempotencyKeys, (_) => _.prune)
        )
      ],
      { discard: true }
    )
    yield* Effect.forkScoped(Effect.repeat(round, Schedule.spaced(Duration.seconds(interval))))
  })
)

/** One that fails takes nothing from the others. */
const alone = <A, E, R>(what: string, one: Effect.Effect<A, E, R>) =>
  run(what.replaceAll("'", "").replaceAll(" ", "_"), `${what} failed`, one)
