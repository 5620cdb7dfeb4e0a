import { auditTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { Context, DateTime, Deferred, Duration, Effect, Layer, Schedule, Stream } from "effect"
import { retention } from "../events/prune.ts"
import { Tail } from "../events/Tail.ts"
import { type Entry, entryIn } from "./entry.ts"
import { Ring, ringSize } from "./Ring.ts"
import type { Read } from "./scan.ts"

/** Rows that are read together at the start. */
const together = 1_000

/** How long a reader waits for what is in the log already. */
const patience = Duration.millis(100)

/** Other replicas forget what is old by clocks of their own. */
const readableFor = Duration.subtract(retention, Duration.hours(1))

/**
 * The newest audit records of all replicas, in this process's memory. It
 * follows the log, and begins with what is there at the start.
 */
export class AuditRing extends Context.Service<
  AuditRing,
  {
    /** Records that are provably those of the log; undefined where the log has to be asked. */
    readonly read: Read<undefined>
    /** Whether everything up to this sequence is here, or comes in a moment. */
    hasUpTo(sequence: number): Effect.Effect<boolean>
  }
>()("portico/domain/audit/AuditRing") {
  static readonly layerOf = (size: number) =>
    Layer.effect(
      AuditRing,
      Effect.gen(function* () {
        const log = yield* EventLog
        const tail = yield* Tail
        /** Undefined until what is there has been read. */
        let ring: Ring | undefined
        let waiting: Array<{ readonly sequence: number; readonly here: Deferred.Deferred<void> }> = []

        const tell = (upTo: number) => {
          for (const { here, sequence } of waiting) if (sequence <= upTo) Deferred.doneUnsafe(here, Effect.void)
          waiting = waiting.filter((_) => _.sequence > upTo)
        }

        /** The newest records, the oldest of them first, and whether there are others before. */
        const present = Effect.fnUntraced(function* (end: number) {
          const entries: Array<Entry> = []
          let after = end + 1
          for (;;) {
            const limit = Math.min(together, size - entries.length)
            const rows = yield* log.read({ topics: [auditTopic], projectId: undefined, order: "desc", after, limit })
            entries.push(...rows.map(entryIn))
            after = rows.at(-1)?.sequence ?? after
            if (rows.length < limit) return { entries: entries.toReversed(), floor: 0 }
            if (entries.length >= size) return { entries: entries.toReversed(), floor: after - 1 }
          }
        })

        const follow = Effect.gen(function* () {
          const end = yield* log.last
          const { entries, floor } = yield* present(end)
          const filled = new Ring(floor, size)
          for (const entry of entries) filled.add(entry)
          ring = filled
          tell(filled.newest)
          yield* Stream.runForEachArray(tail.after(end), (rows) =>
            Effect.sync(() => {
              for (const row of rows) if (row.topic === auditTopic) filled.add(entryIn(row))
              tell(filled.newest)
            })
          )
        })
        // What a failure leaves behind may have gaps behind it: it begins anew.
        yield* Effect.forkScoped(
          follow.pipe(
            Effect.catchCause((cause) => Effect.logWarning("the audit's ring cannot be filled", cause)),
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
              return Effect.map(Effect.timeoutOption(Deferred.await(here), patience), (_) => _._tag === "Some").pipe(
                Effect.ensuring(Effect.sync(() => void (waiting = waiting.filter((_) => _.here !== here))))
              )
            })
        })
      })
    )

  static readonly layer = this.layerOf(ringSize)
}
