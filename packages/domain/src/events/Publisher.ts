import { growingPause } from "@portico/store/leased"
import type { Event } from "@portico/contract/Events"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Cause, Context, Duration, Effect, Fiber, Latch, Layer, Option } from "effect"
import { innermost } from "../innermost.ts"
import { Stopping, stopDeadlines } from "../health/Stopping.ts"
import { Bus } from "./Bus.ts"

/** The most waiting events of one topic, some 60 MB: hours of writes of a busy cloud. Each topic has its own limit. */
const defaultCapacity = 100_000

/** The events published at once, and the timeout of an attempt. */
const batchSize = 200
const attemptTime = Duration.seconds(30)

/** The longest time that a caller waits for a bus that does not answer. */
const settleTimeout = Duration.seconds(1)

/** How long the shutdown goes on publishing, and what it gets of that when other parts have taken long. */
export const drainTime = Duration.seconds(5)
const leastDrainTime = Duration.seconds(1)

/**
 * Publishes events in the background. An event stays in memory until the bus has accepted it.
 * Publishing is retried, in order and with the same id, for as long as the process lives. An event
 * that can no longer be kept is written to the process log in full: it holds no secret, and an
 * operator can restore it from there.
 */
export class Publisher extends Context.Service<
  Publisher,
  {
    /** Never fails and never waits. */
    publish(event: Event): Effect.Effect<void>
    /** The same at once, without an effect. */
    put(event: Event): void
    /**
     * Completes when the bus has accepted everything that waits now. It does not wait for a failing
     * bus, and at most a second for one that does not answer.
     */
    readonly settled: Effect.Effect<void>
    /**
     * Calls `done` when {@link settled} would complete: at once, or later.
     *
     * @returns stops waiting; undefined when it was called already
     */
    whenSettled(done: () => void): (() => void) | undefined
  }
>()("portico/domain/events/Publisher") {
  static readonly layerOf = (capacity: number) =>
    Layer.effect(
      Publisher,
      Effect.gen(function* () {
        const bus = yield* Bus
        const stop = yield* Effect.serviceOption(Stopping)
        const fork = Effect.runForkWith(yield* Effect.context<never>())
        const waiting: Array<Event> = []
        /** The number of waiting events by topic. */
        const waitingByTopic = new Map<string, number>()
        const awake = yield* Latch.make()
        const stopping = yield* Latch.make()
        let closed = false
        let failures = 0
        /** The numbers of events ever taken, and of those published. */
        let taken = 0
        let published = 0
        /** The callers of `settled` and the number of published events that each waits for, in order. */
        const settling: Array<{ readonly count: number; readonly settle: () => void }> = []
        const settle = (upTo: number) => {
          const still = settling.findIndex((_) => _.count > upTo)
          for (const { settle } of settling.splice(0, still === -1 ? settling.length : still)) settle()
        }
        /** Whether the current attempt has exceeded the timeout of `settled`. */
        let unresponsive = false
        const markUnresponsive = Effect.sync(() => {
          unresponsive = true
          settle(Infinity)
        }).pipe(Effect.delay(settleTimeout))
        const all = yield* metricsRegistry
        all.gauge("portico_events_waiting", "Events waiting to be published.", {}, () => waiting.length)
        const failed = all.count("portico_event_publish_failures_total", "Failed attempts to publish events.", {})
        const dropped = all.count(
          "portico_events_lost_total",
          "Events that could not be published and were written to the process log instead.",
          {}
        )
        const lost = (event: Event) => {
          dropped.value += 1
          return Effect.logError("an event is lost", event)
        }

        const waitingOf = (topic: string): number => waitingByTopic.get(topic) ?? 0

        /** A batch stays in the queue until the bus has accepted it, so an interruption loses nothing. */
        const publishSome = Effect.gen(function* () {
          const batch = waiting.slice(0, batchSize)
          yield* Effect.raceFirst(
            Effect.timeout(bus.publish(batch), attemptTime),
            Effect.andThen(markUnresponsive, Effect.never)
          )
          for (const { topic } of waiting.splice(0, batch.length)) waitingByTopic.set(topic, waitingOf(topic) - 1)
          if (waiting.length === 0) awake.closeUnsafe()
          if (failures > 0) yield* Effect.logInfo("events are published again")
          unresponsive = false
          failures = 0
          published += batch.length
          settle(published)
        })

        const rest = (cause: Cause.Cause<unknown>) => {
          failed.value += 1
          failures += 1
          unresponsive = false
          settle(Infinity)
          return Effect.logWarning("events cannot be published yet").pipe(
            Effect.annotateLogs({ why: messageOf(cause), attempts: failures, waiting: waiting.length }),
            Effect.andThen(Effect.raceFirst(Effect.sleep(pauseAfter(failures)), hurry))
          )
        }
        /** During the shutdown pauses are short. */
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

        // The worker is not a scoped fiber: a hanging database would keep the process from ending.
        yield* Effect.addFinalizer(() =>
          Effect.gen(function* () {
            stopping.openUnsafe()
            const left = Option.match(stop, { onNone: () => drainTime, onSome: (_) => _.left(stopDeadlines.events) })
            const time = Duration.clamp(left, { minimum: leastDrainTime, maximum: drainTime })
            if (waiting.length > 0) yield* Effect.timeoutOption(Fiber.await(worker), time)
            worker.interruptUnsafe()
            closed = true
            if (waiting.length > 0) yield* Effect.logError(`${waiting.length} events were left unpublished`)
            yield* Effect.forEach(waiting, lost, { discard: true })
          })
        )

        /** Whether the event has a place, and waits now. */
        const takes = (event: Event): boolean => {
          const place = waitingOf(event.topic)
          // Drops the new event and keeps the older ones: a reader may rely on having all events up to some moment.
          if (closed || place >= capacity) return false
          waitingByTopic.set(event.topic, place + 1)
          waiting.push(event)
          taken += 1
          awake.openUnsafe()
          return true
        }

        const whenSettled = (done: () => void): (() => void) | undefined => {
          if (waiting.length === 0 || failures > 0 || unresponsive) return void done()
          const mark = { count: taken, settle: done }
          settling.push(mark)
          return () => {
            const place = settling.indexOf(mark)
            if (place !== -1) settling.splice(place, 1)
          }
        }

        return Publisher.of({
          publish: (event) => Effect.suspend(() => (takes(event) ? Effect.void : lost(event))),
          put: (event) => {
            if (!takes(event)) fork(lost(event))
          },
          settled: Effect.callback<void>((resume) => {
            const stop = whenSettled(() => resume(Effect.void))
            return stop && Effect.sync(stop)
          }),
          whenSettled
        })
      })
    )

  static readonly layer = this.layerOf(defaultCapacity)
}

const pauseAfter = growingPause({ first: Duration.millis(200), longest: Duration.seconds(30) })

/** The message of the innermost error; outer errors may contain parts of a statement or an address. */
const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? innermost(error).message : "an unknown defect"
}

/** Completes when the log has everything that this process recorded before, unless the database is unavailable. */
export const settled = Effect.flatMap(Publisher, (_) => _.settled)
