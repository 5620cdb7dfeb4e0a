import { Usage } from "@portico/store/Usage"
import { Clock, Context, DateTime, Duration, Effect, Latch, Layer } from "effect"
import type { Source } from "./networks.ts"

/** The delay before a first use is written, and the interval between two writes for the same credential. */
const writeDelay = Duration.seconds(5)
const interval = Duration.toMillis("1 minute")

/** Uses within this time count as one, so a busy credential costs little; in milliseconds. */
const sameUseMillis = 1000

const capacity = 50_000
const batchSize = 500

/** How long the shutdown goes on writing. */
const drainTime = Duration.seconds(2)

interface Entry {
  /** Milliseconds since the epoch. */
  at: number
  from: string
  unwritten: boolean
  writtenAt: number
}

/**
 * Records when and from where credentials were last used. Requests do not wait for the write: a use
 * is written within seconds, and at most once a minute for each credential. A process that is
 * killed loses the uses of the last minute.
 */
export class LastUses extends Context.Service<
  LastUses,
  {
    note(credentialId: string, source: Source | undefined): void
  }
>()("portico/domain/access/LastUses") {
  static readonly layer = Layer.effect(
    LastUses,
    Effect.gen(function* () {
      const usage = yield* Usage
      const clock = yield* Clock.Clock
      const entries = new Map<string, Entry>()

      const write = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        const uses = ids.flatMap((credentialId) => {
          const entry = entries.get(credentialId)
          if (entry === undefined) return []
          // A use after this point is a new one, which the result of this write must not hide.
          entry.unwritten = false
          entry.writtenAt = clock.currentTimeMillisUnsafe()
          return [{ credentialId, at: DateTime.makeUnsafe(entry.at), from: entry.from }]
        })
        const again = (ids: ReadonlyArray<string>) =>
          Effect.sync(() => {
            for (const id of ids) {
              const entry = entries.get(id)
              if (entry !== undefined) Object.assign(entry, { unwritten: true, writtenAt: 0 })
            }
          })
        yield* usage.note(uses).pipe(
          Effect.flatMap(again),
          Effect.catchCause((cause) =>
            Effect.andThen(again(ids), Effect.logWarning("last uses of credentials are not written yet", cause))
          )
        )
      })

      const round = Effect.fnUntraced(function* (isDue: (entry: Entry, now: number) => boolean) {
        const now = clock.currentTimeMillisUnsafe()
        const unwritten: Array<string> = []
        for (const [id, entry] of entries) {
          if (entry.unwritten) {
            if (isDue(entry, now)) unwritten.push(id)
            // The credential was not used for a minute.
          } else if (entry.writtenAt + interval <= now) entries.delete(id)
        }
        for (let first = 0; first < unwritten.length; first += batchSize) {
          yield* write(unwritten.slice(first, first + batchSize))
        }
      })

      /** Open while there are entries. */
      const awake = yield* Latch.make()
      const isDue = ({ writtenAt }: Entry, now: number) => writtenAt + interval <= now
      const writeRound = Effect.gen(function* () {
        yield* awake.await
        yield* Effect.sleep(writeDelay)
        yield* round(isDue)
        if (entries.size === 0) awake.closeUnsafe()
      })
      yield* Effect.forkScoped(Effect.forever(writeRound))
      yield* Effect.addFinalizer(() =>
        Effect.timeoutOption(
          round(() => true),
          drainTime
        )
      )

      return LastUses.of({
        note: (credentialId, source) => {
          const now = clock.currentTimeMillisUnsafe()
          const entry = entries.get(credentialId)
          if (entry === undefined ? entries.size >= capacity : now - entry.at < sameUseMillis) return
          const from = source?.()
          if (from === undefined) return
          if (entry !== undefined) return void Object.assign(entry, { at: now, from, unwritten: true })
          entries.set(credentialId, { at: now, from, unwritten: true, writtenAt: 0 })
          awake.openUnsafe()
        }
      })
    })
  )
}
