import { maxCounted, relayLease, type RelayRow, Relays, pauseAfter } from "@portico/store/Relays"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  Relays,
  Effect.gen(function* () {
    const { events: log, relays } = yield* Memory
    const now = Clock.currentTimeMillis
    const after = (at: number, duration: Duration.Duration) => DateTime.makeUnsafe(at + Duration.toMillis(duration))
    const put = (row: RelayRow) => {
      relays.set(row.topic, row)
      return row
    }
    /** Changes the row only for the lease holder. */
    const update = (held: RelayRow, to: (at: number, row: RelayRow) => Partial<RelayRow>) =>
      Effect.map(now, (at) => {
        const row = relays.get(held.topic)
        return row === undefined || row.lease !== held.lease ? undefined : put({ ...row, ...to(at, row) })
      })

    return Relays.of({
      position: (topic) => Effect.sync(() => relays.get(topic)?.position ?? 0),
      backlogs: (way, topics) =>
        Effect.sync(() =>
          topics.map((topic) => {
            const position = relays.get(`${way}${topic}`)?.position ?? 0
            const behind = [...log.values()].filter((_) => _.topic === topic && _.sequence > position)
            return { topic, events: Math.min(behind.length, maxCounted), oldest: behind[0]?.at ?? null }
          })
        ),
      all: Effect.sync(() => [...relays.values()].toSorted((a, b) => (a.topic < b.topic ? -1 : 1))),
      claim: (topic) =>
        Effect.map(now, (at) => {
          const row = relays.get(topic) ?? { topic, position: 0, failures: 0, lease_ends: DateTime.makeUnsafe(at) }
          if (DateTime.toEpochMillis(row.lease_ends) > at) return undefined
          return put({ ...row, lease: randomUUID(), lease_ends: after(at, relayLease) })
        }),
      advance: (held, position) => update(held, (at) => ({ position, failures: 0, lease_ends: after(at, relayLease) })),
      release: (held) => Effect.asVoid(update(held, (at) => ({ lease: null, lease_ends: DateTime.makeUnsafe(at) }))),
      rest: (held) =>
        Effect.asVoid(
          update(held, (at, row) => ({
            lease: null,
            failures: row.failures + 1,
            lease_ends: after(at, pauseAfter(held.failures + 1))
          }))
        )
    })
  })
)
