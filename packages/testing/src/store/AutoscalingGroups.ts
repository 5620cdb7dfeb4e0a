import { AutoscalingGroups, type GroupEntry, groupLease } from "@portico/store/AutoscalingGroups"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory } from "./Memory.ts"

/** Autoscaling groups in memory, for tests that move the clock. */
const make = ({ autoscalingGroups: groups }: Memory["Service"]): AutoscalingGroups["Service"] => {
  const at = (millis: number) => DateTime.makeUnsafe(millis)
  const put = (entry: GroupEntry) => {
    groups.set(entry.group_id, entry)
    return entry
  }
  const isFree = ({ lease, lease_ends }: GroupEntry, now: number) =>
    lease === null || lease_ends === null || DateTime.toEpochMillis(lease_ends) <= now
  const own = ({ group_id, lease }: GroupEntry) => {
    const held = groups.get(group_id)
    return lease !== null && held?.lease === lease ? held : undefined
  }
  const unchanged = ({ group_id, revision }: GroupEntry) => {
    const held = groups.get(group_id)
    return held?.revision === revision ? held : undefined
  }
  const withNow = <A>(act: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, act)

  return {
    insert: (group) =>
      withNow((now) => {
        const isTaken = [...groups.values()].some((_) => _.project_id === group.project_id && _.name === group.name)
        if (isTaken) return undefined
        return put({
          ...group,
          cooldown_until: null,
          alarms: {},
          deleting: false,
          revision: 0,
          state: "scaling",
          reason: null,
          members: [],
          errors: 0,
          failures: 0,
          limits: 0,
          observed_at: null,
          created_at: at(now),
          due_at: at(now),
          lease: null,
          lease_ends: null
        })
      }),
    find: (projectId, groupId) =>
      Effect.sync(() => {
        const held = groups.get(groupId)
        return held?.project_id === projectId ? held : undefined
      }),
    list: (projectId) => Effect.sync(() => [...groups.values()].filter((_) => _.project_id === projectId)),
    change: (entry, to) =>
      withNow((now) => {
        const held = unchanged(entry)
        if (held === undefined) return undefined
        const due_at = DateTime.toEpochMillis(held.due_at) < now ? held.due_at : at(now)
        return put({ ...held, ...to, revision: held.revision + 1, due_at })
      }),
    hear: (entry, alarms) =>
      Effect.sync(() => {
        const held = unchanged(entry)
        return held && put({ ...held, alarms, revision: held.revision + 1 })
      }),
    claim: withNow((now) => {
      const [due] = [...groups.values()]
        .filter((_) => DateTime.toEpochMillis(_.due_at) <= now && isFree(_, now))
        .toSorted((a, b) => DateTime.toEpochMillis(a.due_at) - DateTime.toEpochMillis(b.due_at))
      return due && put({ ...due, lease: randomUUID(), lease_ends: at(now + Duration.toMillis(groupLease)) })
    }),
    keep: (entry, progress) =>
      withNow((now) => {
        const held = own(entry)
        return held && put({ ...held, ...progress, lease_ends: at(now + Duration.toMillis(groupLease)) })
      }),
    release: (entry, progress, pause) =>
      withNow((now) => {
        const held = own(entry)
        if (held === undefined) return false
        const due_at = at(held.revision === entry.revision ? now + Duration.toMillis(pause) : now)
        put({ ...held, ...progress, lease: null, lease_ends: null, due_at })
        return true
      }),
    drop: (entry) => Effect.sync(() => own(entry) !== undefined && groups.delete(entry.group_id)),
    removeIdle: (projectId, groupId) =>
      withNow((now) => {
        const held = groups.get(groupId)
        return held?.project_id !== projectId || (isFree(held, now) && groups.delete(groupId))
      })
  }
}

export const layer = Layer.effect(AutoscalingGroups, Effect.map(Memory, make))
