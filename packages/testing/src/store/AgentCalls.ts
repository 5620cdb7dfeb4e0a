import { AgentCalls, callLease, lostLimit, overdueTime } from "@portico/store/AgentCalls"
import { EventLog, storable } from "@portico/store/EventLog"
import { DateTime, Effect, Layer } from "effect"
import { layer as eventLog } from "./EventLog.ts"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  AgentCalls,
  Effect.gen(function* () {
    const { agentCalls: calls } = yield* Memory
    const log = yield* EventLog

    return AgentCalls.of({
      begin: (event) =>
        Effect.map(DateTime.now, (now) => {
          const lease_ends = DateTime.addDuration(now, callLease)
          calls.set(event.id, { ...storable(event), lease_ends, overdue_since: null })
        }),
      renew: (id) =>
        Effect.map(DateTime.now, (now) => {
          const held = calls.get(id)
          if (held === undefined) return false
          calls.set(id, { ...held, lease_ends: DateTime.addDuration(now, callLease), overdue_since: null })
          return true
        }),
      end: (id, event) =>
        Effect.suspend(() => {
          const wasUnderWay = calls.delete(id)
          return Effect.as(wasUnderWay && event !== undefined ? log.append([event]) : Effect.void, wasUnderWay)
        }),
      claimLost: Effect.gen(function* () {
        const now = yield* DateTime.now
        for (const call of calls.values()) {
          if (call.overdue_since === null && DateTime.isLessThanOrEqualTo(call.lease_ends, now))
            calls.set(call.id, { ...call, overdue_since: now })
        }
        const before = DateTime.subtractDuration(now, overdueTime)
        const lost = [...calls.values()]
          .filter((_) => _.overdue_since !== null && DateTime.isLessThanOrEqualTo(_.overdue_since, before))
          .slice(0, lostLimit)
        for (const { id } of lost) calls.delete(id)
        yield* log.append(lost.map(({ at, envelope, id, key, topic }) => ({ id, topic, key, at, envelope })))
        return lost.length
      })
    })
  })
).pipe(Layer.provide(eventLog))
