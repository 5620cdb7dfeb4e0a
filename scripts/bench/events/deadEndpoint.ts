import { PgClient } from "@effect/sql-pg"
import type { AlarmEvent } from "@portico/contract/Events"
import { alarmTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { Context, DateTime, Deferred, Effect, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { summaryOf } from "../numbers.ts"
import { projectOf } from "../proxy/names.ts"
import { cell, type Part } from "../results.ts"
import { dead, taking, webhook } from "./endpoints.ts"
import type { Stage } from "./stage.ts"

const rounds = 7
/** Deliveries that are waited for in a round, one after the other. */
const perRound = 30
/** What waits for the dead endpoint when a round begins. */
const backlog = 200
/** Milliseconds. */
const goal = 100

const eventOf = Effect.fnUntraced(function* (tenant: number) {
  const [id, alarm] = [randomUUID(), randomUUID()]
  const now = yield* DateTime.now
  const envelope: AlarmEvent = {
    id,
    topic: alarmTopic,
    kind: "alarm.state_changed",
    at: DateTime.formatIso(now),
    key: alarm,
    project_id: projectOf(tenant),
    data: {
      alarm_id: alarm,
      alarm_name: "busy",
      severity: "moderate",
      previous: "ok",
      current: "alarm",
      reason: "bench",
      metric: "cpu",
      instance_id: null,
      group_id: null
    }
  }
  return { id, topic: alarmTopic, key: alarm, at: now, envelope }
})

/** Whether an endpoint that never answers delays what another tenant is told. */
export const deadEndpoint = Effect.fnUntraced(function* ({ gateway }: Stage) {
  const portico = yield* gateway("deliveries")
  const log = Context.get(
    yield* Layer.build(EventLog.layer.pipe(Layer.provide(PgClient.layer({ url: Redacted.make(portico.database) })))),
    EventLog
  )
  const waited = new Map<string, Deferred.Deferred<number>>()
  const live = yield* taking((id) => {
    const waiting = waited.get(id)
    if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.succeed(performance.now()))
  })
  yield* webhook(portico, 1, live, alarmTopic)

  /** Milliseconds from the commit of an event to its arrival. */
  const delivery = Effect.gen(function* () {
    const event = yield* eventOf(1)
    const arrival = yield* Deferred.make<number>()
    waited.set(event.id, arrival)
    yield* log.append([event])
    const appended = performance.now()
    return Math.max(0, (yield* Deferred.await(arrival)) - appended)
  })
  const median = Effect.map(Effect.replicateEffect(delivery, perRound), (_) => summaryOf(_).median)

  yield* median
  const alone = yield* Effect.replicateEffect(median, rounds)
  yield* webhook(portico, 2, yield* dead, alarmTopic)
  const beside = yield* Effect.replicateEffect(
    Effect.andThen(
      Effect.flatMap(Effect.replicateEffect(eventOf(2), backlog), log.append),
      Effect.andThen(Effect.sleep("1 second"), median)
    ),
    rounds
  )
  const delays = summaryOf(beside.map((value, round) => value - (alone[round] ?? Number.NaN)))
  return {
    title: `Milliseconds from an event to its webhook, medians of ${perRound}, ${rounds} rounds`,
    rows: [
      ["", "ms"],
      ["alone", cell(summaryOf(alone), 1)],
      [`beside an endpoint that never answers and has ${backlog} events more a round`, cell(summaryOf(beside), 1)]
    ],
    notes: [],
    goals: [{ what: "the delay, ms", measured: delays, wanted: { atMost: goal } }],
    numbers: { alone_ms: summaryOf(alone), beside_ms: summaryOf(beside), delay_ms: delays }
  } satisfies Part
})
