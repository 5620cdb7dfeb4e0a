import { type PurgeEntry, purgeLease, Purges } from "@portico/store/Purges"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  Purges,
  Effect.gen(function* () {
    const { purges } = yield* Memory
    const now = Clock.currentTimeMillis
    const at = (millis: number) => DateTime.makeUnsafe(millis)
    const later = (now: number, duration: Duration.Duration) => at(now + Duration.toMillis(duration))
    const isDue = (_: PurgeEntry, now: number) => _.lease_ends !== null && DateTime.toEpochMillis(_.lease_ends) <= now
    const own = ({ lease, project_id }: PurgeEntry) => {
      const held = purges.get(project_id)
      return lease !== null && held?.lease === lease ? held : undefined
    }
    const put = (entry: PurgeEntry) => {
      purges.set(entry.project_id, entry)
      return entry
    }

    return Purges.of({
      open: (purge) =>
        Effect.map(now, (millis) => {
          const held = purges.get(purge.project_id)
          if (held !== undefined && held.lease_ends !== null) return undefined
          return put({
            ...purge,
            state: "purging",
            cancelled: false,
            progress: [],
            ending: [],
            nat_off: null,
            refusal: null,
            failure: null,
            failures: 0,
            restored: [],
            started_at: at(millis),
            lease: null,
            lease_ends: at(millis)
          })
        }),
      find: (projectId) => Effect.sync(() => purges.get(projectId)),
      claim: (which) =>
        Effect.map(now, (millis) => {
          const due = [...purges.values()].find(
            (_) =>
              isDue(_, millis) && ("projectId" in which ? _.project_id === which.projectId : _.reason === which.reason)
          )
          return due && put({ ...due, lease: randomUUID(), lease_ends: later(millis, purgeLease) })
        }),
      keep: (entry, change) =>
        Effect.map(now, (millis) => {
          const held = own(entry)
          return held && put({ ...held, ...change, lease_ends: later(millis, purgeLease) })
        }),
      passReturn: (entry) =>
        Effect.map(now, (millis) => {
          const held = own(entry)
          if (held === undefined || held.cancelled) return undefined
          return put({ ...held, state: "finishing", lease_ends: later(millis, purgeLease) })
        }),
      release: (entry, change, pause) =>
        Effect.map(now, (millis) => {
          const held = own(entry)
          if (held === undefined) return false
          put({ ...held, ...change, lease: null, lease_ends: pause === undefined ? null : later(millis, pause) })
          return true
        }),
      cancel: (projectId) =>
        Effect.map(now, (millis) => {
          const held = purges.get(projectId)
          if (held?.reason !== "project_deletion" || held.lease_ends === null || held.state === "finishing") {
            return undefined
          }
          const waits = held.lease === null && DateTime.toEpochMillis(held.lease_ends) > millis
          return put({ ...held, cancelled: true, lease_ends: waits ? at(millis) : held.lease_ends })
        }),
      close: (entry) => Effect.sync(() => own(entry) !== undefined && purges.delete(entry.project_id))
    })
  })
)
