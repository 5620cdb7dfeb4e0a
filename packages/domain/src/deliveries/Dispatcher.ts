import { Deliveries, type Lane } from "@portico/store/Deliveries"
import type { TargetEntry } from "@portico/store/Targets"
import { Context, Deferred, Duration, Effect, FiberSet, Layer } from "effect"
import { Tail } from "../events/Tail.ts"
import { DeliverySettings } from "./DeliverySettings.ts"
import { fanOut } from "./fanOut.ts"
import { serve } from "./serve.ts"

/** What is found at once is sent at once; this keeps a busy log from being looked at for every single event. */
const leastPause = Duration.millis(20)

/**
 * Sends events to targets. Those that fail have a quarter of the workers at
 * most, however many they are, so that whoever answers waits for nobody else's
 * time-outs; and a target is served by one worker.
 */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** Looks what has come, and lets workers begin with what is due. It does not wait for them. */
    readonly round: Effect.Effect<void>
    /** Waits until another round may find something, for so long at most. */
    pause(atMost: Duration.Duration): Effect.Effect<void>
    /** Waits until no worker is at work. */
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

      const worker = (place: { busy: number }, target: TargetEntry) =>
        serve(target).pipe(
          Effect.ensuring(Effect.sync(() => (place.busy -= 1))),
          Effect.matchCauseEffect({
            onFailure: (cause) => Effect.logError(`the target ${target.target_id} cannot be served`, cause),
            // There is room for another one, and for this one again after its pause.
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
        for (const place of lanes) {
          const free = place.most - place.busy
          if (free <= 0) continue
          const claimed = yield* deliveries.claim(place.lane, free)
          place.busy += claimed.length
          yield* Effect.forEach(claimed, (_) => FiberSet.run(fibers, worker(place, _)), { discard: true })
        }
      })

      return Dispatcher.of({
        round: Effect.gen(function* () {
          // Both before anything is read: what comes after that is found in another round.
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
