import { Components } from "@portico/domain/health/Components"
import { Duration, Effect, Latch, Layer } from "effect"
import { job, seconds } from "./job.ts"

/**
 * Time that a start waits for the first round. A component that has not answered by then is `unknown` until it does.
 */
const startTimeout = Duration.seconds(2)

/** Probes every system behind the gateway. Every replica does, because each has its own network path to them. */
export const ProbeJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const every = yield* seconds("PROBE_SECONDS", 15)
    const { round } = yield* Components
    const first = yield* Latch.make()
    yield* job({ name: "probe_components", every, after: Duration.zero, round: Effect.ensuring(round, first.open) })
    yield* Effect.timeoutOption(first.await, startTimeout)
  })
)
