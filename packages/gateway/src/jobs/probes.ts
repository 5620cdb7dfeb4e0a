import { Components } from "@portico/domain/health/Components"
import { Config, Duration, Effect, Latch, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** A start waits no longer for the first look: what has not answered by then is `unknown` for a while. */
const patience = Duration.seconds(2)

/** Looks at every system behind the gateway, now and then. Every replica does, because each has its own way to them. */
export const ProbeJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const interval = Duration.seconds(yield* Config.Int("PROBE_SECONDS").pipe(Config.withDefault(15)))
    const { round } = yield* Components
    const first = yield* Latch.make()
    const looked = Effect.andThen(run("probes", "components are not looked at", round), first.open)
    yield* Effect.forkScoped(Effect.repeat(looked, Schedule.spaced(interval)))
    yield* Effect.timeoutOption(first.await, patience)
  })
)
