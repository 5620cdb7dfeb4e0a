import { Targets } from "@portico/store/Targets"
import { atOnce } from "@portico/store/rows"
import { type DeliveryRow, givenUpDisabled, type TargetEntry } from "@portico/store/targetRows"
import { Clock, DateTime, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

/** Targets in memory, for tests that move the clock. */
const make = ({ deliveries, targets }: Memory["Service"]): Targets["Service"] => {
  const put = (entry: TargetEntry) => {
    targets.set(entry.target_id, entry)
    return entry
  }
  const found = (projectId: string, targetId: string) => {
    const held = targets.get(targetId)
    return held?.project_id === projectId ? held : undefined
  }
  const withNow = <A>(act: (now: DateTime.Utc) => A): Effect.Effect<A> =>
    Effect.map(Clock.currentTimeMillis, (_) => act(DateTime.makeUnsafe(_)))

  return {
    insert: (target) =>
      withNow((now) =>
        put({
          ...target,
          disabled_reason: null,
          failures_in_a_row: 0,
          failing_since: null,
          rests_until: null,
          due_at: null,
          served_at: now,
          lease: null,
          lease_ends: null,
          created_at: now,
          updated_at: now
        })
      ),
    find: (projectId, targetId) => Effect.sync(() => found(projectId, targetId)),
    list: (projectId) => Effect.sync(() => [...targets.values()].filter((_) => _.project_id === projectId)),
    change: (projectId, targetId, to) =>
      withNow((now) => {
        const held = found(projectId, targetId)
        return held && put({ ...held, ...to, updated_at: now })
      }),
    reseal: ({ secrets: was, target_id }, secrets) =>
      Effect.sync(() => {
        const held = targets.get(target_id)
        const isSame = held !== undefined && JSON.stringify(held.secrets) === JSON.stringify(was)
        if (isSame) put({ ...held, secrets })
        return isSame
      }),
    enable: (projectId, targetId, fromSequence) =>
      withNow((now) => {
        const held = found(projectId, targetId)
        if (held?.state !== "disabled") return undefined
        for (const row of deliveries.values()) {
          if (row.target_id === targetId && row.state === "pending") deliveries.set(row.delivery_id, givenUp(row, now))
        }
        return put({
          ...held,
          state: "active",
          disabled_reason: null,
          failures_in_a_row: 0,
          failing_since: null,
          rests_until: null,
          due_at: null,
          from_sequence: fromSequence,
          updated_at: now
        })
      }),
    disable: (projectId, targetId, reason) =>
      withNow((now) => {
        const held = found(projectId, targetId)
        if (held?.state !== "active") return undefined
        const pending = [...deliveries.values()].filter((_) => _.target_id === targetId && _.state === "pending")
        for (const row of pending.slice(0, atOnce)) deliveries.set(row.delivery_id, givenUp(row, now))
        const off = { state: "disabled", disabled_reason: reason, rests_until: null, due_at: null } as const
        return put({ ...held, ...off, updated_at: now })
      }),
    remove: (projectId, targetId) =>
      Effect.sync(() => {
        const held = found(projectId, targetId)
        if (held === undefined) return undefined
        targets.delete(targetId)
        for (const row of deliveries.values()) if (row.target_id === targetId) deliveries.delete(row.delivery_id)
        return held
      }),
    active: (projectIds) =>
      Effect.sync(() => [...targets.values()].filter((_) => projectIds.includes(_.project_id) && _.state === "active"))
  }
}

/** A delivery that waited for a target that is disabled. */
export const givenUp = (row: DeliveryRow, now: DateTime.Utc): DeliveryRow => ({
  ...row,
  state: "failed",
  given_up: givenUpDisabled,
  finished_at: now
})

export const layer = Layer.effect(Targets, Effect.map(Memory, make))
