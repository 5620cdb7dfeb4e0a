import { EventLog } from "@portico/store/EventLog"
import { Context, DateTime, Deferred, Duration, Effect, Layer, Schedule, Stream } from "effect"
import { retention } from "../events/prune.ts"
import { Tail } from "../events/Tail.ts"
import { auditTopics, type Entry, entryIn } from "./entry.ts"
import { Ring, ringSize } from "./Ring.ts"
import type { Read } from "./scan.ts"

/** The page size of the initial read. */
const pageSize = 1_000

/** How long a reader waits for a record that is in the log already to arrive in the ring. */
const arrivalTimeout = Duration.millis(100)

/** Shorter than the retention, because other replicas prune old records by clocks of their own. */
const readableFor = Duration.subtract(retention, Duration.hours(1))

/**
 * The newest audit records of all replicas, in this process's memory. It follows the log and starts
 * with the log's newest records.
 */
export class AuditRing extends Context.Service<
  AuditRing,
  {
    /**
     * Reads records only when the ring provably has all that the log has; undefined when the log
     * must be read instead.
     */
    readonly read: Read<undefined>
    /** Whether the ring has everything up to this sequence, or receives it within a moment. */
    hasUpTo(sequence: number): Effect.Effect<boolean>
  }
>()("portico/domain/audit/AuditRing") {
  static readonly layerOf = (size: number) =>
    Layer.effect(
      AuditRing,
      Effect.gen(function* () {
        const log = yield* EventLog
        const tail = yield* Tail
        /** Undefined until the initial read is complete. */
        let ring: Ring | undefined
        let waiting: Array<{ readonly sequence: number; readonly here: Deferred.Deferred<void> }> = []

        const notifyWaiting = (upTo: number) => {
          for (const { here, sequence } of waiting) if (sequence <= upTo) Deferred.doneUnsafe(here, Effect.void)
          waiting = waiting.filter((_) => _.sequence > upTo)
        }

        /** The newest records, oldest first, and the floor below which records may be missing. */
        const newestRecords = Effect.fnUntraced(function* (end: number) {
          const entries: Array<Entry> = []
          let after = end + 1
          for (;;) {
            const limit = Math.min(pageSize, size - entries.length)
            const rows = yield* log.read({ topics: auditTopics, projectId: undefined, order: "desc", after, limit })
            entries.push(...rows.map(entryIn))
            after = rows.at(-1)?.sequence ?? after
            if (rows.length < limit) return { entries: entries.toReversed(), floor: 0 }
            if (entries.length >= size) return { entries: entries.toReversed(), floor: after - 1 }
          }
        })

        const follow = Effect.gen(function* () {
          const end = yield* log.last
          const { entries, floor } = yield* newestRecords(end)
          const filled = new Ring(floor, size)
          for (const entry of entries) filled.add(entry)
          ring = filled
          notifyWaiting(filled.newest)
          yield* Stream.runForEachArray(tail.after(end), (rows) =>
            Effect.sync(() => {
              for (const row of rows) if (auditTopics.includes(row.topic)) filled.add(entryIn(row))
              notifyWaiting(filled.newest)
            })
          )
        })
        // After a failure the ring may have a gap, so it is filled anew.
        yield* Effect.forkScoped(
          follow.pipe(
            Effect.catchCause((cause) => Effect.logWarning("the in-memory audit ring cannot be filled", cause)),
            Effect.repeat(Schedule.spaced("5 seconds"))
          )
        )

        return AuditRing.of({
          read: (span, after, count) =>
            Effect.map(DateTime.now, (now) =>
              ring?.read(span, after, count, DateTime.toEpochMillis(DateTime.subtractDuration(now, readableFor)))
            ),
          hasUpTo: (sequence) =>
            Effect.suspend(() => {
              if (ring === undefined) return Effect.succeed(false)
              if (ring.newest >= sequence) return Effect.succeed(true)
              const here = Deferred.makeUnsafe<void>()
              waiting.push({ sequence, here })
              return Effect.map(
                Effect.timeoutOption(Deferred.await(here), arrivalTimeout),
                (_) => _._tag === "Some"
              ).pipe(Effect.ensuring(Effect.sync(() => void (waiting = waiting.filter((_) => _.here !== here)))))
            })
        })
      })
    )

  static readonly layer = this.layerOf(ringSize)
}
