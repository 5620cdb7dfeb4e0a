import { Deliveries, isEventMail } from "@portico/store/Deliveries"
import { atOnce } from "@portico/store/rows"
import { deliveryLease, type DeliveryRow, type NewDelivery, type TargetEntry } from "@portico/store/targetRows"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory } from "./Memory.ts"
import { givenUp } from "./Targets.ts"

/** Deliveries in memory, for tests that move the clock. */
const make = ({ deliveries, eventMails, events, targets }: Memory["Service"]): Deliveries["Service"] => {
  let number = 0
  const put = (entry: TargetEntry) => {
    targets.set(entry.target_id, entry)
    return entry
  }
  const owned = ({ lease, target_id }: TargetEntry) => {
    const held = targets.get(target_id)
    return lease !== null && held?.lease === lease ? held : undefined
  }
  const of = (targetId: string) => [...deliveries.values()].filter((_) => _.target_id === targetId)
  const waits = (targetId: string) => of(targetId).filter((_) => _.state === "pending")
  const at = (millis: number) => DateTime.makeUnsafe(millis)
  const later = (now: number, duration: Duration.Duration) => at(now + Duration.toMillis(duration))
  const isPast = (moment: DateTime.Utc | null, now: number) => moment !== null && DateTime.toEpochMillis(moment) <= now
  const withNow = <A>(act: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, act)

  const inserted = (row: NewDelivery, now: number): DeliveryRow => {
    const delivery: DeliveryRow = {
      ...row,
      number: ++number,
      delivery_id: randomUUID(),
      state: "pending",
      attempts: [],
      given_up: null,
      created_at: at(now),
      finished_at: null
    }
    deliveries.set(delivery.delivery_id, delivery)
    return delivery
  }
  /** Makes an active target due. Returns whether the target is active. */
  const wake = (targetId: string, now: number): boolean => {
    const target = targets.get(targetId)
    if (target?.state !== "active") return false
    put({ ...target, due_at: target.due_at ?? at(now) })
    return true
  }

  const inState = (targetId: string, state: DeliveryRow["state"] | undefined) =>
    of(targetId).filter((_) => state === undefined || _.state === state)

  return {
    add: (rows) =>
      withNow((now) => {
        let added = 0
        for (const row of rows) {
          if (!wake(row.target_id, now)) continue
          if (!row.again && of(row.target_id).some((_) => !_.again && _.event_id === row.event_id)) continue
          inserted(row, now)
          added += 1
        }
        return added
      }),
    again: (row) =>
      withNow((now) => {
        if (!wake(row.target_id, now)) return undefined
        const waiting = waits(row.target_id).find((_) => _.again && _.event_id === row.event_id)
        return waiting ?? inserted(row, now)
      }),
    addSent: (row, attempt) =>
      withNow((now) => {
        if (!targets.has(row.target_id)) return
        const state = attempt.error === null ? "delivered" : "failed"
        const added = inserted(row, now)
        deliveries.set(added.delivery_id, { ...added, state, attempts: [attempt], finished_at: at(now) })
      }),
    event: (projectId, eventId) =>
      Effect.sync(() => {
        const held = events.get(eventId)
        const kind = held?.envelope["kind"]
        return held?.envelope["project_id"] === projectId && typeof kind === "string"
          ? { topic: held.topic, kind }
          : undefined
      }),
    claim: (lane, limit) =>
      withNow((now) => {
        const due = [...targets.values()]
          .filter((_) => _.state === "active" && isPast(_.due_at, now))
          .filter((_) => _.lease === null || isPast(_.lease_ends, now))
          .filter((_) => (lane === "sound" ? _.failures_in_a_row === 0 : _.failures_in_a_row > 0))
          .toSorted((a, b) => DateTime.toEpochMillis(a.served_at) - DateTime.toEpochMillis(b.served_at))
        const turns = [...Map.groupBy(due, (_) => _.project_id).values()].flatMap((its) =>
          its.map((entry, turn) => ({ entry, turn }))
        )
        return turns
          .toSorted((a, b) => a.turn - b.turn)
          .slice(0, limit)
          .map(({ entry }) =>
            put({ ...entry, lease: randomUUID(), lease_ends: later(now, deliveryLease), served_at: at(now) })
          )
      }),
    next: ({ target_id }) =>
      Effect.sync(() => {
        const [delivery] = waits(target_id)
        return delivery && { delivery, envelope: events.get(delivery.event_id)?.envelope ?? null }
      }),
    conclude: (target, concluded, _) =>
      withNow((now) => {
        const { delivery_id } = concluded
        if (isEventMail(target, concluded, _))
          eventMails.set(randomUUID(), { project_id: target.project_id, at: at(now) })
        const held = owned(target)
        if (held === undefined) return undefined
        const row = deliveries.get(delivery_id)
        if (row !== undefined) {
          const attempts = _.attempt === undefined ? row.attempts : [...row.attempts, _.attempt]
          const counts = row.state === "pending" || _.state === "delivered"
          const { given_up, state } = counts ? _ : row
          const finished_at = state === "pending" ? null : at(now)
          deliveries.set(delivery_id, { ...row, attempts, state, given_up, finished_at })
        }
        return put({
          ...held,
          due_at: later(now, _.pause),
          rests_until: _.rests ? later(now, _.pause) : null,
          failures_in_a_row: _.failures_in_a_row,
          failing_since: _.failing_since,
          lease_ends: later(now, deliveryLease)
        })
      }),
    release: (target) =>
      withNow((now) => {
        const held = owned(target)
        if (held === undefined) return
        const rests = held.rests_until !== null && !isPast(held.rests_until, now)
        const due_at = rests || waits(held.target_id).length > 0 ? held.due_at : null
        put({ ...held, lease: null, lease_ends: null, due_at })
      }),
    giveUp: withNow((now) => {
      const left = [...deliveries.values()]
        .filter((_) => _.state === "pending" && targets.get(_.target_id)?.state === "disabled")
        .slice(0, atOnce)
      for (const row of left) deliveries.set(row.delivery_id, givenUp(row, at(now)))
      return left.length
    }),
    page: (targetId, after, limit, state) =>
      Effect.sync(() =>
        inState(targetId, state)
          .filter((_) => after === undefined || _.number < after)
          .toReversed()
          .slice(0, limit)
      ),
    count: (targetId, state) => Effect.sync(() => inState(targetId, state).length),
    prune: (before) =>
      Effect.sync(() => {
        const old = [...deliveries.values()].filter((_) => DateTime.isLessThan(_.created_at, before)).slice(0, atOnce)
        for (const { delivery_id } of old) deliveries.delete(delivery_id)
        for (const [key, mail] of eventMails) if (DateTime.isLessThan(mail.at, before)) eventMails.delete(key)
        return old.length
      }),
    mailed: (projectId, since) =>
      Effect.sync(
        () =>
          [...eventMails.values()].filter((_) => _.project_id === projectId && DateTime.isGreaterThan(_.at, since))
            .length
      ),
    backlog: Effect.sync(() => {
      const pending = [...deliveries.values()].filter((_) => _.state === "pending")
      return { waiting: pending.length, oldest: pending[0]?.created_at ?? null }
    })
  }
}

export const layer = Layer.effect(Deliveries, Effect.map(Memory, make))
