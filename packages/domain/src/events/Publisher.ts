import { growingPause } from "@portico/store/leased"
import type { Event } from "@portico/contract/Events"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Cause, Context, Duration, Effect, Fiber, Latch, Layer } from "effect"
import { innermost } from "../innermost.ts"
import { Bus } from "./Bus.ts"

/** So many of one topic wait at most, some 60 MB: hours of writes of a busy cloud. No topic takes another one's room. */
const usualCapacity = 100_000

/** How many are published together, and how long that may take. */
const batchSize = 200
const attemptTime = Duration.seconds(30)

/** How long anybody waits for a bus that says nothing. */
const patience = Duration.seconds(1)

/** How long a process that stops goes on publishing. With the planes' 20 seconds it stays below the usual 30. */
export const drainTime = Duration.seconds(5)

/**
 * Publishes events without anybody waiting for it: an event is kept in memory
 * until the bus has it, and is published again and again, in order and under
 * one id, for as long as the process lives. One that cannot be kept any longer
 * is written to the log whole: it holds no secret, and its reader can be made
 * good from there.
 */
export class Publisher extends Context.Service<
  Publisher,
  {
    /** Never fails and never waits. */
    publish(event: Event): Effect.Effect<void>
    /**
     * Done when the bus has everything that waits by now. Nobody is kept
     * waiting for a bus that fails, nor for longer than a second for one that
     * says nothing.
     */
    readonly settled: Effect.Effect<void>
  }
>()("portico/domain/events/Publisher") {
  static readonly layerOf = (capacity: number) =>
    Layer.effect(
      Publisher,
      Effect.gen(function* () {
        const bus = yield* Bus
        const waiting: Array<Event> = []
        /** How many of each topic wait. */
        const places = new Map<string, number>()
        const awake = yield* Latch.make()
        const stopping = yield* Latch.make()
        let closed = false
        let failures = 0
        /** How many have ever come, and how many of them the bus has. */
        let taken = 0
        let published = 0
        /** Who waits until so many of them have been published; who came first is in front. */
        const settling: Array<{ readonly count: number; readonly settle: () => void }> = []
        const settle = (upTo: number) => {
          const still = settling.findIndex((_) => _.count > upTo)
          for (const { settle } of settling.splice(0, still === -1 ? settling.length : still)) settle()
        }
        /** Whether the bus has said nothing for a while to what it was asked to take. */
        let silent = false
        const losePatience = Effect.sync(() => {
          silent = true
          settle(Infinity)
        }).pipe(Effect.delay(patience))
        const all = yield* metricsRegistry
        all.gauge("portico_events_waiting", "Events that wait to be published.", {}, () => waiting.length)
        const failed = all.count("portico_event_publish_failures_total", "Attempts to publish events that failed.", {})
        const dropped = all.count("portico_events_lost_total", "Events that were written to the log instead.", {})
        const lost = (event: Event) => {
          dropped.value += 1
          return Effect.logError("an event is lost", event)
        }

        const placesOf = (topic: string): number => places.get(topic) ?? 0

        /** What is published stays in front until the bus has it, so that nothing is lost wherever this is cut off. */
        const publishSome = Effect.gen(function* () {
          const batch = waiting.slice(0, batchSize)
          yield* Effect.raceFirst(
            Effect.timeout(bus.publish(batch), attemptTime),
            Effect.andThen(losePatience, Effect.never)
          )
          for (const { topic } of waiting.splice(0, batch.length)) places.set(topic, placesOf(topic) - 1)
          if (waiting.length === 0) awake.closeUnsafe()
          if (failures > 0) yield* Effect.logInfo("events are published again")
          silent = false
          failures = 0
          published += batch.length
          settle(published)
        })

        const rest = (cause: Cause.Cause<unknown>) => {
          failed.value += 1
          failures += 1
          silent = false
          settle(Infinity)
          return Effect.logWarning("events cannot be published yet").pipe(
            Effect.annotateLogs({ why: wordsOf(cause), attempts: failures, waiting: waiting.length }),
            Effect.andThen(Effect.raceFirst(Effect.sleep(pauseAfter(failures)), hurry))
          )
        }
        /** A process that stops has no time for long pauses. */
        const hurry = Effect.andThen(stopping.await, Effect.sleep(pauseAfter(1)))

        const attempt = Effect.catchCause(
          Effect.suspend(() => publishSome),
          rest
        )
        const worker = yield* Effect.forkDetach(
          Effect.repeat(Effect.andThen(awake.await, attempt), {
            until: () => Latch.isOpen(stopping) && waiting.length === 0
          })
        )

        // Not a scoped fiber: a database that hangs would keep the process from ending.
        yield* Effect.addFinalizer(() =>
          Effect.gen(function* () {
            stopping.openUnsafe()
            if (waiting.length > 0) yield* Effect.timeoutOption(Fiber.await(worker), drainTime)
            worker.interruptUnsafe()
            closed = true
            if (waiting.length > 0) yield* Effect.logError(`${waiting.length} events were left unpublished`)
            yield* Effect.forEach(waiting, lost, { discard: true })
          })
        )

        return Publisher.of({
          publish: (event) =>
            Effect.suspend(() => {
              const place = placesOf(event.topic)
              // Those that wait came first, and whoever reads them may count on having all up to some moment.
              if (closed || place >= capacity) return lost(event)
              places.set(event.topic, place + 1)
              waiting.push(event)
              taken += 1
              awake.openUnsafe()
              return Effect.void
            }),
          settled: Effect.callback<void>((resume) => {
            if (waiting.length === 0 || failures > 0 || silent) return resume(Effect.void)
            const mark = { count: taken, settle: () => resume(Effect.void) }
            settling.push(mark)
            return Effect.sync(() => {
              const place = settling.indexOf(mark)
              if (place !== -1) settling.splice(place, 1)
            })
          })
        })
      })
    )

  static readonly layer = this.layerOf(usualCapacity)
}

const pauseAfter = growingPause({ first: Duration.millis(200), longest: Duration.seconds(30) })

/** What happened, in the words at the bottom; whatever else an error carries may hold parts of a statement or an address. */
const wordsOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? innermost(error).message : "an unknown defect"
}

/** What this process has completed before is in the log then, unless the database is away. */
export const settled = Effect.flatMap(Publisher, (_) => _.settled)
