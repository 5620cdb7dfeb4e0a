import { Deliveries, type Lane } from "@portico/store/Deliveries"
import type { TargetEntry } from "@portico/store/Targets"
import { Context, Deferred, Duration, Effect, FiberSet, Layer } from "effect"
import { Tail } from "../events/Tail.ts"
import { DeliverySettings } from "./DeliverySettings.ts"
import { fanOut } from "./fanOut.ts"
import { serve } from "./serve.ts"

/**
 * The least time between two rounds: events are sent as soon as a round finds them, and a busy log
 * must not start a round for every event.
 */
const leastPause = Duration.millis(20)

/**
 * Sends events to targets. Failing targets together use at most a quarter of the workers, so
 * healthy targets do not wait for their timeouts. One worker at a time serves a target.
 */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** Fans out new events and starts workers for due targets. It does not wait for the workers. */
    readonly round: Effect.Effect<void>
    /** Waits until another round may find work, but no longer than this. */
    pause(atMost: Duration.Duration): Effect.Effect<void>
    /** Waits until all workers are idle. */
    readonly idle: Effect.Effect<void>
  }
>()("portico/domain/deliveries/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const tail = yield* Tail
      const { workers } = yield* DeliverySettings
      const context = yield* Effect.context<Needs>()
      const fibers = yield* FiberSet.make<void>()
      const reminders = yield* FiberSet.make<void>()
      const failing = Math.floor(workers / 4)
      const lanes: ReadonlyArray<{ readonly lane: Lane; readonly most: number; busy: number }> = [
        { lane: "sound", most: workers - failing, busy: 0 },
        { lane: "failing", most: failing, busy: 0 }
      ]
      let woken = Deferred.makeUnsafe<void>()
      let arrived: Effect.Effect<void> = Effect.void
      const wake = Effect.sync(() => Deferred.doneUnsafe(woken, Effect.void))

      const worker = (slots: { busy: number }, target: TargetEntry) =>
        serve(target).pipe(
          Effect.ensuring(Effect.sync(() => (slots.busy -= 1))),
          Effect.matchCauseEffect({
            onFailure: (cause) => Effect.logError(`the target ${target.target_id} cannot be served`, cause),
            // A worker is free now; the target itself is due again after its pause.
            onSuccess: (pause) =>
              Effect.andThen(
                wake,
                pause === undefined ? Effect.void : FiberSet.run(reminders, Effect.delay(wake, pause))
              )
          }),
          Effect.asVoid,
          Effect.provide(context)
        )

      const begin = Effect.gen(function* () {
        for (const slots of lanes) {
          const free = slots.most - slots.busy
          if (free <= 0) continue
          const claimed = yield* deliveries.claim(slots.lane, free)
          slots.busy += claimed.length
          yield* Effect.forEach(claimed, (_) => FiberSet.run(fibers, worker(slots, _)), { discard: true })
        }
      })

      return Dispatcher.of({
        round: Effect.gen(function* () {
          // Both signals are reset before anything is read, so a later event triggers another round.
          woken = Deferred.makeUnsafe<void>()
          arrived = yield* tail.news
          yield* fanOut
          yield* begin
        }).pipe(Effect.provide(context)),
        pause: (atMost) =>
          Effect.asVoid(
            Effect.andThen(
              Effect.sleep(leastPause),
              Effect.timeoutOption(
                Effect.suspend(() => Effect.raceFirst(Deferred.await(woken), arrived)),
                atMost
              )
            )
          ),
        idle: FiberSet.awaitEmpty(fibers)
      })
    })
  )
}

type Needs = Effect.Services<typeof fanOut> | Effect.Services<ReturnType<typeof serve>>
