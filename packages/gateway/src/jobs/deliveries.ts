import { Dispatcher } from "@portico/domain/deliveries/Dispatcher"
import { countDeliveries, pruneDeliveries } from "@portico/domain/deliveries/tidy"
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** How often it is looked how much waits, and how often what is too old is forgotten. */
const counting = Duration.seconds(15)
const pruning = Duration.hours(1)

/**
 * Sends events to webhooks and integrations. Every replica runs it; each
 * target is served by one of them at a time. It begins after the interval, so
 * that a start asks nobody anything.
 */
export const DeliveryJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const interval = Duration.seconds(yield* Config.Number("DELIVERIES_SECONDS").pipe(Config.withDefault(1)))
    const { pause, round } = yield* Dispatcher
    const sending = Effect.andThen(run("deliveries", "events are not sent to webhooks", round), pause(interval))
    yield* Effect.forkScoped(Effect.delay(Effect.forever(sending), interval))

    const every = <R>(time: Duration.Duration, job: string, trouble: string, round: Effect.Effect<void, never, R>) =>
      run(job, trouble, round).pipe(Effect.repeat(Schedule.spaced(time)), Effect.delay(interval), Effect.forkScoped)
    yield* every(counting, "deliveries_waiting", "waiting deliveries are not counted", countDeliveries)
    yield* every(pruning, "deliveries_old", "old deliveries are not forgotten", pruneDeliveries)
  })
  // Of the job alone, so that it stops with it: what it was in the middle of is sent again elsewhere.
).pipe(Layer.provide(Dispatcher.layer))
