import { TenantTopic } from "@portico/contract/Events"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import { Context, Deferred, Duration, Effect, Layer, Option, Schedule, Schema, Stream } from "effect"

/**
 * Notifications trigger a read at once. A failed read is retried after the shorter time, and
 * without a notification the log is read after the longer one.
 */
const retryInterval = Duration.seconds(1)
const pollInterval = Duration.seconds(30)

/** After a read of this many rows the next read waits for a moment, so rows gather. */
const gatherThreshold = 16
const gatherTime = Duration.millis(25)

/** The rows read at once, and the newest rows kept for followers. */
const batchSize = 500
const capacity = 2000

/**
 * Follows the event log, across all replicas. One fiber of this process reads it for all followers.
 * A slow follower delays no other and uses no memory: it reads rows that are no longer kept from
 * the database itself.
 */
export class Tail extends Context.Service<
  Tail,
  {
    /** All rows that arrive after the stream begins, in the log's order; it never ends. */
    readonly rows: Stream.Stream<EventRow>
    /** All rows after this sequence, the existing ones first, as far back as the retention reaches. It never ends. */
    after(sequence: number): Stream.Stream<EventRow>
    /**
     * The inner effect completes when a row of this project has arrived since the outer effect ran;
     * without a project, when any row has. Run the outer effect before reading, and wait for the
     * inner one when the read found nothing.
     */
    arrival(projectId: string | undefined): Effect.Effect<Effect.Effect<void>>
    /** {@link arrival} of any event that tenants receive, which excludes audit records. */
    readonly news: Effect.Effect<Effect.Effect<void>>
  }
>()("portico/domain/events/Tail") {
  static readonly layer = Layer.effect(
    Tail,
    Effect.gen(function* () {
      const log = yield* EventLog
      /** The newest rows: all rows after `floor`. */
      let recent: ReadonlyArray<EventRow> = []
      let floor = yield* log.last
      let position = floor
      let behind = false
      const waiting = new Map<string | undefined, Deferred.Deferred<void>>()

      const arrival = (projectId: string | undefined) =>
        Effect.sync(() => {
          const known = waiting.get(projectId) ?? Deferred.makeUnsafe<void>()
          waiting.set(projectId, known)
          return Deferred.await(known)
        })
      const complete = (projectId: string | undefined) => {
        const known = waiting.get(projectId)
        if (known === undefined) return
        waiting.delete(projectId)
        Deferred.doneUnsafe(known, Effect.void)
      }

      const keep = (rows: ReadonlyArray<EventRow>) => {
        const all = [...recent, ...rows]
        const dropped = Math.max(0, all.length - capacity)
        floor = all[dropped - 1]?.sequence ?? floor
        recent = all.slice(dropped)
        position = rows.at(-1)?.sequence ?? position
        const projects = new Set(rows.map(projectOf))
        for (const projectId of projects) if (projectId !== undefined) complete(projectId)
        if (rows.some((_) => isNews(_.topic))) complete(news)
        complete(undefined)
      }

      const readNew = Effect.gen(function* () {
        let rows: ReadonlyArray<EventRow>
        do {
          rows = yield* log.since(position, batchSize)
          if (rows.length > 0) keep(rows)
        } while (rows.length === batchSize)
        if (rows.length >= gatherThreshold) yield* Effect.sleep(gatherTime)
        if (behind) yield* Effect.logInfo("the event log is followed again")
        behind = false
      }).pipe(
        Effect.catchCause((cause) => {
          const first = !behind
          behind = true
          return first ? Effect.logWarning("the event log cannot be followed", cause) : Effect.void
        })
      )

      let notified = Deferred.makeUnsafe<void>()
      const notify = Effect.sync(() => Deferred.doneUnsafe(notified, Effect.void))
      const listen = Effect.gen(function* () {
        const arrivals = yield* log.arrivals
        // Rows that arrived before the subscription caused no notification.
        yield* notify
        yield* Stream.runForEach(arrivals, () => notify)
      }).pipe(
        Effect.scoped,
        Effect.catchCause((cause) => Effect.logWarning("notifications of the event log cannot be received", cause)),
        Effect.andThen(notify),
        Effect.repeat(Schedule.spaced(retryInterval))
      )
      yield* Effect.forkScoped(listen)

      // Reset before reading: a notification during the read triggers another round.
      const round = Effect.suspend(() => {
        const next = (notified = Deferred.makeUnsafe<void>())
        return Effect.andThen(
          readNew,
          Effect.suspend(() => Effect.timeoutOption(Deferred.await(next), behind ? retryInterval : pollInterval))
        )
      })
      yield* Effect.forkScoped(Effect.forever(round))

      const behindOf = (sequence: number) =>
        sequence < floor
          ? log.since(sequence, batchSize)
          : Effect.sync(() => recent.slice(firstBehind(recent, sequence)))
      const after = (sequence: number) =>
        Stream.paginate(sequence, (at) =>
          Effect.gen(function* () {
            while (true) {
              const arrived = yield* arrival(undefined)
              const rows = yield* behindOf(at)
              const last = rows.at(-1)
              if (last !== undefined) return [rows, Option.some(last.sequence)] as const
              yield* arrived
            }
          })
        )

      return Tail.of({
        // Starts at this process's position and not at the log's end, so rows not yet read are included.
        rows: Stream.suspend(() => after(position)),
        after,
        arrival,
        news: arrival(news)
      })
    })
  )
}

/** Stands for news among the keys of `waiting`, because no project has this id. */
const news = ""

const isNews = Schema.is(TenantTopic)

const projectOf = ({ envelope }: EventRow): string | undefined => {
  const projectId = envelope["project_id"]
  return typeof projectId === "string" ? projectId : undefined
}

/** The index, from `from` on, of the first item after a sequence. */
export const firstBehind = (
  items: ReadonlyArray<{ readonly sequence: number }>,
  sequence: number,
  from = 0
): number => {
  let [low, high] = [from, items.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((items[middle]?.sequence ?? 0) > sequence) high = middle
    else low = middle + 1
  }
  return low
}
