import { TenantTopic } from "@portico/contract/Events"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import { Context, Deferred, Duration, Effect, Layer, Option, Schedule, Schema, Stream } from "effect"

/** Arrivals are told of at once. What fails is tried again after the shorter time; after the longer one this looks unasked. */
const tryAgain = Duration.seconds(1)
const lookAgain = Duration.seconds(30)

/** When so many rows came at once, the next ones are left to gather for a moment. */
const many = 16
const pause = Duration.millis(25)

/** How many rows are read together, and how many of the newest are kept for those who follow. */
const batchSize = 500
const kept = 2000

/**
 * What comes into the event log, over all replicas. One fiber of this process
 * reads it, whoever follows; a reader that is slow keeps nobody waiting and
 * costs no memory, because what is no longer at hand it reads for itself.
 */
export class Tail extends Context.Service<
  Tail,
  {
    /** Everything that comes from the moment on that the stream begins, in the log's order; it never ends. */
    readonly rows: Stream.Stream<EventRow>
    /** Everything behind this sequence, what is there already first; as far back as the log is kept. It never ends. */
    after(sequence: number): Stream.Stream<EventRow>
    /**
     * The inner effect is done when something of this project has come since
     * the outer one was; of any project, or of none, without one. Take it
     * before reading, and wait for it where nothing was found.
     */
    arrival(projectId: string | undefined): Effect.Effect<Effect.Effect<void>>
    /** {@link arrival} of anything that tenants are told of, and so of no record of the audit. */
    readonly news: Effect.Effect<Effect.Effect<void>>
  }
>()("portico/domain/events/Tail") {
  static readonly layer = Layer.effect(
    Tail,
    Effect.gen(function* () {
      const log = yield* EventLog
      /** The newest rows; everything behind `floor` is here. */
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
      const tell = (projectId: string | undefined) => {
        const known = waiting.get(projectId)
        if (known === undefined) return
        waiting.delete(projectId)
        Deferred.doneUnsafe(known, Effect.void)
      }

      const keep = (rows: ReadonlyArray<EventRow>) => {
        const all = [...recent, ...rows]
        const dropped = Math.max(0, all.length - kept)
        floor = all[dropped - 1]?.sequence ?? floor
        recent = all.slice(dropped)
        position = rows.at(-1)?.sequence ?? position
        const projects = new Set(rows.map(projectOf))
        for (const projectId of projects) if (projectId !== undefined) tell(projectId)
        if (rows.some((_) => isNews(_.topic))) tell(news)
        tell(undefined)
      }

      const readOn = Effect.gen(function* () {
        let rows: ReadonlyArray<EventRow>
        do {
          rows = yield* log.since(position, batchSize)
          if (rows.length > 0) keep(rows)
        } while (rows.length === batchSize)
        if (rows.length >= many) yield* Effect.sleep(pause)
        if (behind) yield* Effect.logInfo("the event log is followed again")
        behind = false
      }).pipe(
        Effect.catchCause((cause) => {
          const first = !behind
          behind = true
          return first ? Effect.logWarning("the event log cannot be followed", cause) : Effect.void
        })
      )

      let heard = Deferred.makeUnsafe<void>()
      const look = Effect.sync(() => Deferred.doneUnsafe(heard, Effect.void))
      const hear = Effect.gen(function* () {
        const arrivals = yield* log.arrivals
        // What came while nobody listened was not told of.
        yield* look
        yield* Stream.runForEach(arrivals, () => look)
      }).pipe(
        Effect.scoped,
        Effect.catchCause((cause) => Effect.logWarning("arrivals in the event log are not heard of", cause)),
        Effect.andThen(look),
        Effect.repeat(Schedule.spaced(tryAgain))
      )
      yield* Effect.forkScoped(hear)

      // Made anew before reading: what is told while this reads is read in another round.
      const round = Effect.suspend(() => {
        const next = (heard = Deferred.makeUnsafe<void>())
        return Effect.andThen(
          readOn,
          Effect.suspend(() => Effect.timeoutOption(Deferred.await(next), behind ? tryAgain : lookAgain))
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
        // Not the log's own end: what this process has yet to read comes from here, too.
        rows: Stream.suspend(() => after(position)),
        after,
        arrival,
        news: arrival(news)
      })
    })
  )
}

/** What waits for it stands among the projects, of which none has this id. */
const news = ""

const isNews = Schema.is(TenantTopic)

const projectOf = ({ envelope }: EventRow): string | undefined => {
  const projectId = envelope["project_id"]
  return typeof projectId === "string" ? projectId : undefined
}

/** Where in these rows those begin that are behind a sequence. */
const firstBehind = (rows: ReadonlyArray<EventRow>, sequence: number): number => {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle]?.sequence ?? 0) > sequence) high = middle
    else low = middle + 1
  }
  return low
}
