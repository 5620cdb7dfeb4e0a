import { atOnce } from "@portico/store/rows"
import { EventLog, storable } from "@portico/store/EventLog"
import { DateTime, Effect, Layer, PubSub, Stream } from "effect"
import { Memory } from "./Memory.ts"
import { onCommit } from "./transaction.ts"

export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const { events: log } = yield* Memory
    const appended = yield* PubSub.sliding<void>(1)
    // A store that is filled from a seed has events already.
    let sequence: number | undefined
    const highest = () => Math.max(0, ...[...log.values()].map((_) => _.sequence))
    const next = () => (sequence = (sequence ?? highest()) + 1)

    return EventLog.of({
      append: (events) =>
        Effect.suspend(() => {
          for (const event of events.map(storable)) {
            if (!log.has(event.id)) log.set(event.id, { ...event, sequence: next() })
          }
          return onCommit(Effect.asVoid(PubSub.publish(appended, undefined)))
        }),
      page: (topic, after, limit) =>
        Effect.sync(() =>
          [...log.values()].filter((_) => _.topic === topic && _.sequence > after).slice(0, Math.max(0, limit))
        ),
      read: ({ after, limit, order, projectId, topics }) =>
        Effect.sync(() => {
          const all = [...log.values()].filter(
            (_) => topics.includes(_.topic) && (projectId === undefined || _.envelope["project_id"] === projectId)
          )
          const sorted = order === "asc" ? all : all.toReversed()
          const beyond = (sequence: number) =>
            after === undefined || (order === "asc" ? sequence > after : sequence < after)
          return sorted.filter((_) => beyond(_.sequence)).slice(0, Math.max(0, limit))
        }),
      since: (after, limit) =>
        Effect.sync(() => [...log.values()].filter((_) => _.sequence > after).slice(0, Math.max(0, limit))),
      known: (ids) => Effect.sync(() => new Set(ids.map((_) => _.toLowerCase()).filter((_) => log.has(_)))),
      last: Effect.sync(highest),
      arrivals: Effect.map(PubSub.subscribe(appended), Stream.fromSubscription),
      newest: (topics) =>
        Effect.sync(() =>
          Math.max(0, ...[...log.values()].filter((_) => topics.includes(_.topic)).map((_) => _.sequence))
        ),
      window: (topic, { from, to }) =>
        Effect.sync(() => {
          const all = [...log.values()].filter((_) => _.topic === topic)
          const sorted = all.toSorted((a, b) => DateTime.toEpochMillis(a.at) - DateTime.toEpochMillis(b.at))
          return {
            newest: Math.max(0, ...all.map((_) => _.sequence)),
            above: from === undefined ? 0 : (sorted.findLast((_) => DateTime.isLessThan(_.at, from))?.sequence ?? 0),
            below:
              to === undefined ? undefined : sorted.find((_) => DateTime.isGreaterThanOrEqualTo(_.at, to))?.sequence
          }
        }),
      topics: Effect.sync(() => [...new Set([...log.values()].map((_) => _.topic))].toSorted()),
      prune: (topic, before, upTo = Number.MAX_SAFE_INTEGER) =>
        Effect.sync(() => {
          const old = [...log.values()]
            .filter((_) => _.topic === topic && DateTime.isLessThan(_.at, before) && _.sequence <= upTo)
            .slice(0, atOnce)
          for (const { id } of old) log.delete(id)
          return old.length
        })
    })
  })
)
