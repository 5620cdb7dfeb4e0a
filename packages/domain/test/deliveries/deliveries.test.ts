import { assert, it } from "@effect/vitest"
import { TargetDisabled } from "@portico/contract/Targets"
import { matches } from "@portico/domain/deliveries/fanOut"
import { pruneDeliveries } from "@portico/domain/deliveries/tidy"
import { Deliveries } from "@portico/store/Deliveries"
import { atOnce } from "@portico/store/rows"
import { EventLog } from "@portico/store/EventLog"
import { Memory } from "@portico/testing/store/Memory"
import { Relays } from "@portico/store/Relays"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { Targets } from "@portico/store/Targets"
import { DateTime, Effect, Layer, Schema, type Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  accepts,
  atWork,
  delivering,
  elapse,
  happens,
  isGone,
  isSilent,
  Receivers,
  refuses,
  seenBy,
  targetOf,
  webhookTopic
} from "./deliveries.ts"

const story = <E>(
  title: string,
  tell: () => Effect.Effect<void, E, Layer.Success<ReturnType<typeof delivering>> | Scope.Scope>,
  more: Readonly<Record<string, string>> = {}
) => it.effect(title, () => Effect.provide(Effect.scoped(tell()), delivering(more)))

const told = Effect.flatMap(EventLog, (log) =>
  Effect.map(log.page(webhookTopic, 0, 100), (rows) =>
    rows.map((_) => Schema.decodeUnknownSync(TargetDisabled)(_.envelope))
  )
)

story("an event goes to every subscribed target of its tenant, and to no other", () =>
  Effect.gen(function* () {
    const all = yield* targetOf("acme")
    const alarms = yield* targetOf("acme", accepts, { topics: ["alarms"], kinds: ["alarm.*"] })
    const scaling = yield* targetOf("acme", accepts, { topics: ["asg.lifecycle"] })
    const off = yield* targetOf("acme", accepts, { state: "disabled" })
    const theirs = yield* targetOf("globex")
    yield* atWork
    yield* elapse("1 second")
    const alarm = yield* happens("acme")
    const scaled = yield* happens("acme", { topic: "asg.lifecycle", kind: "group.scaled_out" })
    yield* happens(null)
    yield* happens("acme", { topic: "api.audit", kind: "api.call" })
    yield* elapse("1 second")

    const idsAt = (target: string) => Effect.map(seenBy(target), (_) => _.map(({ event }) => event))
    assert.deepStrictEqual(yield* idsAt(all), [alarm, scaled])
    assert.deepStrictEqual(yield* idsAt(alarms), [alarm])
    assert.deepStrictEqual(yield* idsAt(scaling), [scaled])
    assert.deepStrictEqual(yield* idsAt(off), [])
    assert.deepStrictEqual(yield* idsAt(theirs), [])
    const [first] = yield* seenBy(all)
    const { at, ...envelope } = JSON.parse(first?.body ?? "")
    assert.isString(at)
    assert.deepStrictEqual(envelope, {
      id: alarm,
      topic: "alarms",
      kind: "alarm.state_changed",
      key: "alm-1",
      project_id: "acme",
      data: {}
    })
    assert.deepStrictEqual(Object.keys(JSON.parse(first?.body ?? "")), [
      "id",
      "topic",
      "kind",
      "at",
      "key",
      "project_id",
      "data"
    ])
  })
)

story("an event older than a target is not sent to it", () =>
  Effect.gen(function* () {
    yield* happens("acme")
    const late = yield* targetOf("acme", accepts, { from_sequence: yield* (yield* EventLog).newest(["alarms"]) })
    yield* atWork
    yield* elapse("2 seconds")
    const event = yield* happens("acme")
    yield* elapse("1 second")
    assert.deepStrictEqual(
      (yield* seenBy(late)).map((_) => _.event),
      [event]
    )
  })
)

story("an event is sent within moments, in the log's order", () =>
  Effect.gen(function* () {
    const target = yield* targetOf("acme")
    yield* atWork
    yield* elapse("3 seconds")
    const events: Array<string> = []
    for (let count = 0; count < 50; count++) events.push(yield* happens("acme"))
    yield* elapse("200 millis", "10 millis")
    assert.deepStrictEqual(
      (yield* seenBy(target)).map((_) => _.event),
      events
    )
  })
)

story("an event is attempted at 0, 1 and 6 seconds with one id; then the target rests for 30 s", () =>
  Effect.gen(function* () {
    const target = yield* targetOf("acme", refuses)
    yield* atWork
    yield* elapse("1 second")
    const first = yield* happens("acme")
    const second = yield* happens("acme")
    yield* elapse("45 seconds")
    const attempts = yield* seenBy(target)
    const began = attempts[0]?.at ?? 0
    const places = attempts.map((_) => [_.event === first ? 1 : _.event === second ? 2 : 0, (_.at - began) / 1000])
    assert.deepStrictEqual(
      places.map(([event, seconds = 0]) => [event, Math.round(seconds)]),
      [
        [1, 0],
        [1, 1],
        [1, 6],
        [2, 36],
        [2, 37],
        [2, 42]
      ]
    )
    const [, failed] = yield* (yield* Deliveries).page(target, undefined, 10)
    assert.deepInclude(failed ?? {}, { event_id: first, state: "failed", given_up: null })
    assert.deepStrictEqual(
      failed?.attempts.map((_) => [_.status, _.error]),
      [
        [500, "it answered 500"],
        [500, "it answered 500"],
        [500, "it answered 500"]
      ]
    )
  })
)

story("a receiver that does not answer within 5 seconds counts as failed", () =>
  Effect.gen(function* () {
    const target = yield* targetOf("acme", isSilent)
    yield* atWork
    yield* elapse("1 second")
    yield* happens("acme")
    yield* elapse("7 seconds")
    const [row] = yield* (yield* Deliveries).page(target, undefined, 1)
    assert.deepStrictEqual(
      row?.attempts.map((_) => [_.status, _.duration_ms, _.error]),
      [[null, 5000, "there was no answer within 5 s"]]
    )
    assert.strictEqual((yield* seenBy(target)).length, 2)
  })
)

story("a success ends the failures", () =>
  Effect.gen(function* () {
    const target = yield* targetOf("acme", refuses)
    yield* atWork
    yield* elapse("1 second")
    yield* happens("acme")
    yield* elapse("10 seconds")
    const targets = yield* Targets
    assert.strictEqual((yield* targets.find("acme", target))?.failures_in_a_row, 1)
    ;(yield* Receivers).behaves.set(target, accepts)
    const event = yield* happens("acme")
    yield* elapse("40 seconds")
    const entry = yield* targets.find("acme", target)
    assert.deepInclude(entry ?? {}, { failures_in_a_row: 0, failing_since: null, rests_until: null, due_at: null })
    assert.strictEqual((yield* seenBy(target)).at(-1)?.event, event)
  })
)

story("a target that fails for long enough is disabled, with an event to the tenant's others", () =>
  Effect.gen(function* () {
    const dead = yield* targetOf("acme", refuses, { name: "the old one" })
    const other = yield* targetOf("acme", accepts, { topics: ["webhooks"] })
    yield* atWork
    yield* elapse("1 second")
    for (let count = 0; count < 3; count++) yield* happens("acme")
    yield* elapse("10 minutes", "1 second")
    const targets = yield* Targets
    assert.deepInclude((yield* targets.find("acme", dead)) ?? {}, { state: "active", failures_in_a_row: 3 })
    assert.deepStrictEqual(yield* told, [], "three failures are enough, ten minutes are not")

    yield* elapse("1 hour", "10 seconds")
    yield* happens("acme")
    yield* happens("acme")
    yield* elapse("30 seconds")
    const off = yield* targets.find("acme", dead)
    const since = DateTime.formatIso(off?.failing_since ?? DateTime.makeUnsafe(0))
    const reason = `4 events in a row did not arrive since ${since}`
    assert.deepInclude(off ?? {}, { state: "disabled", disabled_reason: reason, due_at: null })
    const [event, ...none] = yield* told
    assert.deepStrictEqual(none, [])
    assert.deepInclude(event ?? {}, { kind: "webhook.disabled", key: dead, project_id: "acme" })
    assert.deepStrictEqual(event?.data, {
      target_kind: "webhook",
      target_id: dead,
      name: "the old one",
      reason,
      failures_in_a_row: 4,
      failing_since: since
    })
    yield* elapse("1 second")
    assert.deepStrictEqual(
      (yield* seenBy(other)).map((_) => _.event),
      [event?.id]
    )
    const [last] = yield* (yield* Deliveries).page(dead, undefined, 1)
    assert.deepInclude(last ?? {}, { state: "failed", given_up: "It was disabled before the event was sent" })
  })
)

story("a target that answers 410 is disabled at once, without another attempt", () =>
  Effect.gen(function* () {
    const target = yield* targetOf("acme", isGone)
    yield* atWork
    yield* elapse("1 second")
    yield* happens("acme")
    yield* happens("acme")
    yield* elapse("1 minute")
    assert.strictEqual((yield* seenBy(target)).length, 1)
    assert.deepStrictEqual(
      (yield* told).map((_) => _.data.reason),
      ["It answered 410: it wants no events any more"]
    )
    assert.strictEqual((yield* (yield* Deliveries).backlog).waiting, 0)
  })
)

story(
  "silent receivers, in any number, do not delay others",
  () =>
    Effect.gen(function* () {
      for (let count = 0; count < 40; count++) yield* targetOf(`dead-${count}`, isSilent)
      const sound = yield* targetOf("acme")
      yield* atWork
      yield* elapse("1 second")
      // Until their first event is given up they are not known to fail.
      for (let count = 0; count < 40; count++) {
        for (let more = 0; more < 20; more++) yield* happens(`dead-${count}`)
      }
      yield* elapse("3 minutes", "500 millis")
      const waits: Array<number> = []
      for (let round = 0; round < 20; round++) {
        const before = (yield* seenBy(sound)).length
        yield* happens("acme")
        let waited = 0
        while ((yield* seenBy(sound)).length === before && waited < 10_000) {
          yield* elapse("10 millis", "10 millis")
          waited += 10
        }
        waits.push(waited)
        yield* elapse("1 second")
      }
      assert.isBelow(waits.toSorted((a, b) => a - b)[10] ?? 0, 100)
      assert.isBelow(Math.max(...waits), 500)
    }),
  { WEBHOOK_WORKERS: "8" }
)

story("a receiver gets one event at a time", () =>
  Effect.gen(function* () {
    let busy = 0
    let most = 0
    const slow = yield* targetOf("acme", () =>
      Effect.gen(function* () {
        most = Math.max(most, ++busy)
        yield* Effect.sleep("300 millis")
        busy -= 1
        return { status: 200 }
      })
    )
    yield* atWork
    yield* atWork
    yield* elapse("1 second")
    for (let count = 0; count < 5; count++) yield* happens("acme")
    yield* elapse("5 seconds")
    assert.strictEqual((yield* seenBy(slow)).length, 5)
    assert.strictEqual(most, 1)
  })
)

story("an event that was pruned is given up, and does not count as a failure", () =>
  Effect.gen(function* () {
    const target = yield* targetOf("acme", refuses)
    yield* atWork
    yield* elapse("1 second")
    yield* happens("acme")
    yield* elapse("1 second")
    ;(yield* Memory).events.clear()
    yield* elapse("10 seconds")
    const [row] = yield* (yield* Deliveries).page(target, undefined, 1)
    assert.deepInclude(row ?? {}, { state: "failed", given_up: "The event is no longer kept" })
    assert.strictEqual((yield* (yield* Targets).find("acme", target))?.failures_in_a_row, 0)
  })
)

story("a defect in a sender is a failed attempt", () =>
  Effect.gen(function* () {
    const target = yield* targetOf("acme", () => Effect.die("a bug"))
    yield* atWork
    yield* elapse("1 second")
    yield* happens("acme")
    yield* elapse("500 millis")
    const [row] = yield* (yield* Deliveries).page(target, undefined, 1)
    assert.deepStrictEqual(
      row?.attempts.map((_) => _.error),
      ["it could not be sent"]
    )
  })
)

story("a lost position is passed again, and every event is still sent once", () =>
  Effect.gen(function* () {
    const target = yield* targetOf("acme")
    yield* atWork
    yield* elapse("1 second")
    yield* happens("acme")
    yield* elapse("1 second")
    ;(yield* Memory).relays.delete("deliveries")
    assert.strictEqual(yield* (yield* Relays).position("deliveries"), 0)
    yield* elapse("3 seconds")
    assert.isAbove(yield* (yield* Relays).position("deliveries"), 0)
    assert.strictEqual((yield* seenBy(target)).length, 1)
  })
)

it.effect("deliveries are deleted after 30 days", () =>
  Effect.gen(function* () {
    const target = yield* targetOf("acme")
    const deliveries = yield* Deliveries
    const row = { target_id: target, event_id: "event", topic: "alarms", kind: "alarm.state_changed", again: false }
    // More than one statement deletes.
    yield* deliveries.add(Array.from({ length: atOnce + 1 }, (_, n) => ({ ...row, event_id: `event-${n}` })))
    yield* TestClock.adjust("29 days")
    yield* pruneDeliveries
    assert.strictEqual(yield* deliveries.count(target), atOnce + 1)
    yield* TestClock.adjust("2 days")
    yield* pruneDeliveries
    assert.strictEqual(yield* deliveries.count(target), 0)
  }).pipe(
    Effect.provide(
      Layer.merge(MemoryStore.layer, Layer.succeed(Receivers, Receivers.of({ seen: [], behaves: new Map() })))
    )
  )
)

it("subscriptions name topics, and kinds in full or by prefix", () => {
  const event = { topic: "billing.lifecycle", kind: "volume.create" }
  for (const [topics, kinds, expected] of [
    [[], [], true],
    [["billing.lifecycle"], [], true],
    [["alarms"], [], false],
    [[], ["volume.create"], true],
    [[], ["volume.creat"], false],
    [[], ["volume.*"], true],
    [[], ["*"], true],
    [[], ["server.*", "volume.create"], true],
    [[], ["server.*"], false],
    [["alarms"], ["*"], false]
  ] as const) {
    assert.strictEqual(matches({ topics, kinds }, event), expected, `${topics} ${kinds}`)
  }
  // Whoever may make a target need not be one who may see costs.
  const costs = { topic: "billing.budgets", kind: "budget.reached" }
  for (const topics of [[], ["billing.budgets"]]) assert.isFalse(matches({ topics, kinds: [] }, costs), `${topics}`)
})
