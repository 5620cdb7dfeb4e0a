import { AlarmCount, type AlarmEntry, alarmLease, Alarms } from "@portico/store/Alarms"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory } from "./Memory.ts"

/** Alarms in memory, for tests that move the clock. */
const make = ({ alarms }: Memory["Service"]): Alarms["Service"] => {
  const put = (entry: AlarmEntry) => {
    alarms.set(entry.alarm_id, entry)
    return entry
  }
  const isFree = ({ lease, lease_ends }: AlarmEntry, now: number) =>
    lease === null || lease_ends === null || DateTime.toEpochMillis(lease_ends) <= now
  const owned = ({ alarm_id, lease }: AlarmEntry) => {
    const held = alarms.get(alarm_id)
    return lease !== null && held?.lease === lease ? held : undefined
  }
  const found = (projectId: string, alarmId: string) => {
    const held = alarms.get(alarmId)
    return held?.project_id === projectId ? held : undefined
  }
  const withNow = <A>(act: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, act)
  const at = (millis: number) => DateTime.makeUnsafe(millis)

  return {
    insert: (alarm) =>
      withNow((now) =>
        put({
          ...alarm,
          revision: 0,
          transitions: 0,
          last_transition_at: null,
          untold: false,
          unknown_since: null,
          evaluated_at: null,
          created_at: at(now),
          due_at: at(now),
          lease: null,
          lease_ends: null
        })
      ),
    find: (projectId, alarmId) => Effect.sync(() => found(projectId, alarmId)),
    list: (projectId) => Effect.sync(() => [...alarms.values()].filter((_) => _.project_id === projectId)),
    change: (projectId, alarmId, to) =>
      withNow((now) => {
        const held = found(projectId, alarmId)
        if (held === undefined) return undefined
        const due_at = DateTime.toEpochMillis(held.due_at) < now ? held.due_at : at(now)
        return put({ ...held, ...to, revision: held.revision + 1, unknown_since: null, due_at })
      }),
    remove: (projectId, alarmId) =>
      Effect.sync(() => {
        const held = found(projectId, alarmId)
        if (held !== undefined) alarms.delete(alarmId)
        return held
      }),
    claim: (limit) =>
      withNow((now) =>
        [...alarms.values()]
          .filter((_) => _.enabled && DateTime.toEpochMillis(_.due_at) <= now && isFree(_, now))
          .toSorted((a, b) => DateTime.toEpochMillis(a.due_at) - DateTime.toEpochMillis(b.due_at))
          .slice(0, limit)
          .map((_) => put({ ..._, lease: randomUUID(), lease_ends: at(now + Duration.toMillis(alarmLease)) }))
      ),
    conclude: (entry, finding) =>
      Effect.sync(() => {
        const held = owned(entry)
        return held?.revision === entry.revision ? put({ ...held, ...finding }) : undefined
      }),
    release: (entry, published, pause) =>
      withNow((now) => {
        const held = owned(entry)
        if (held === undefined) return
        const due_at = at(held.revision === entry.revision ? now + Duration.toMillis(pause) : now)
        put({ ...held, untold: held.untold && !published, lease: null, lease_ends: null, due_at })
      }),
    counts: Effect.sync(() => {
      const groups = Map.groupBy(alarms.values(), (_) => `${_.project_id} ${_.state}`)
      return [...groups.values()].flatMap(([first, ...others]): ReadonlyArray<AlarmCount> =>
        first === undefined ? [] : [{ project_id: first.project_id, state: first.state, count: 1 + others.length }]
      )
    })
  }
}

export const layer = Layer.effect(Alarms, Effect.map(Memory, make))
