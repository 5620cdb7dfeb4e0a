import { Components } from "@portico/domain/health/Components"
import { Duration, Effect, Latch, Layer } from "effect"
import { job, seconds } from "./job.ts"

/** A start waits no longer for the first round: what has not answered by then is `unknown` for a while. */
const startTimeout = Duration.seconds(2)

/** Asks every system behind the gateway whether it works. Every replica does, because each has its own way to them. */
export const ProbeJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const every = yield* seconds("PROBE_SECONDS", 15)
    const { round } = yield* Components
    const first = yield* Latch.make()
    yield* job({ name: "probe_components", every, after: Duration.zero, round: Effect.ensuring(round, first.open) })
    yield* Effect.timeoutOption(first.await, startTimeout)
  })
)
