import { assert } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber } from "effect"
import { randomUUID } from "node:crypto"
import { type Concluded, Deliveries, type Waiting } from "../src/Deliveries.ts"
import { EventLog } from "../src/EventLog.ts"
import { type NewTarget, type TargetEntry, Targets } from "../src/Targets.ts"
import { atOnce } from "../src/rows.ts"
import { Transactions } from "../src/Transactions.ts"
import { pass } from "@portico/testing/store/Aging"
import { replica, somebodyWaits } from "./replica.ts"
import { postgresStoriesOf, present, storiesOf } from "./stories.ts"

const wished = (projectId: string): NewTarget => ({
  target_id: randomUUID(),
  project_id: projectId,
  kind: "webhook",
  name: null,
  settings: { url: "https://hooks.example/" },
  secrets: [{ sealed: "sealed", ends_at: null }],
  topics: ["alarms"],
  kinds: [],
  from_sequence: 0,
  state: "active",
  created_by: "user",
  of_agent: false
})

const made = (projectId: string, more: Partial<NewTarget> = {}) =>
  Effect.flatMap(Targets, (_) => _.insert({ ...wished(projectId), ...more }))

const kind = "alarm.state_changed"

/** Events of a project in the log, and on their way to these targets. */
const sent = Effect.fnUntraced(function* (targets: ReadonlyArray<TargetEntry>, count = 1) {
  const now = yield* DateTime.now
  const events: ReadonlyArray<string> = Array.from({ length: count }, () => randomUUID())
  const [first] = targets
  yield* (yield* EventLog).append(
    events.map((id) => ({
      id,
      topic: "alarms",
      key: "alm-1",
      at: now,
      envelope: { id, topic: "alarms", kind, project_id: first?.project_id ?? null }
    }))
  )
  const rows = events.flatMap((event_id) =>
    targets.map(({ target_id }) => ({ target_id, event_id, topic: "alarms", kind, again: false }))
  )
  yield* (yield* Deliveries).add(rows)
  return events
})

const attempt = { at: "2026-01-01T00:00:00.000Z", status: 204, duration_ms: 3, error: null }
const arrived: Concluded = {
  attempt,
  state: "delivered",
  given_up: null,
  pause: Duration.zero,
  rests: false,
  failures_in_a_row: 0,
  failing_since: null
}
const inVain: Concluded = {
  ...arrived,
  attempt: { ...attempt, status: 500, error: "it answered 500" },
  state: "pending",
  pause: Duration.seconds(5)
}
const givenUp = (since: DateTime.Utc): Concluded => ({
  ...inVain,
  state: "failed",
  pause: Duration.seconds(30),
  rests: true,
  failures_in_a_row: 1,
  failing_since: since
})

const claimed = (limit = 10) => Effect.flatMap(Deliveries, (_) => _.claim("sound", limit))
const idsOf = (targets: ReadonlyArray<TargetEntry>) => targets.map((_) => _.target_id).toSorted()
const only = Effect.map(claimed(), ([first, ...others]) => {
  assert.deepStrictEqual(others, [])
  return first
})
const next = (target: TargetEntry): Effect.Effect<Waiting, never, Deliveries> =>
  present(Effect.flatMap(Deliveries, (_) => _.next(target)))

storiesOf("Targets", (story) => {
  story(
    "secrets are sealed anew if they are unchanged, without a change visible to the tenant",
    Effect.fnUntraced(function* () {
      const targets = yield* Targets
      const target = yield* made("acme")
      const anew = [{ sealed: "sealed anew", ends_at: null }]
      assert.isTrue(yield* targets.reseal(target, anew))
      assert.deepStrictEqual(yield* targets.find("acme", target.target_id), { ...target, secrets: anew })
      // The tenant has rotated meanwhile.
      assert.isFalse(yield* targets.reseal(target, [{ sealed: "of the entry before", ends_at: null }]))
      assert.deepStrictEqual((yield* targets.find("acme", target.target_id))?.secrets, anew)
    })
  )

  story(
    "a target belongs to its tenant alone, and is read as written and changed",
    Effect.fnUntraced(function* () {
      const targets = yield* Targets
      const target = yield* made("acme", { name: "ours", kinds: ["alarm.*"], from_sequence: 2 ** 52 })
      assert.deepInclude(target, { failures_in_a_row: 0, due_at: null, from_sequence: 2 ** 52, kinds: ["alarm.*"] })
      assert.deepStrictEqual(yield* targets.find("acme", target.target_id), target)
      for (const id of [target.target_id, "nobody's", "\0"]) {
        assert.isUndefined(yield* targets.find("globex", id))
        assert.isUndefined(yield* targets.change("globex", id, { name: "theirs" }))
        assert.isUndefined(yield* targets.disable("globex", id, "because"))
        assert.isUndefined(yield* targets.remove("globex", id))
      }
      assert.deepStrictEqual(yield* targets.list("globex"), [])

      const changed = yield* present(targets.change("acme", target.target_id, { topics: [], settings: { url: "u" } }))
      assert.deepInclude(changed, { name: "ours", topics: [], settings: { url: "u" }, kinds: ["alarm.*"] })
      assert.deepStrictEqual(idsOf(yield* targets.list("acme")), [target.target_id])
      assert.isDefined(yield* targets.remove("acme", target.target_id))
      assert.isUndefined(yield* targets.remove("acme", target.target_id))
    })
  )

  story(
    "one with more pending deliveries than a statement takes is disabled at once; the rest later",
    Effect.fnUntraced(function* () {
      const targets = yield* Targets
      const deliveries = yield* Deliveries
      const { target_id } = yield* made("acme")
      const other = yield* made("acme")
      yield* sent([other], 1)
      const states = Effect.all([deliveries.count(target_id, "pending"), deliveries.count(target_id, "failed")])
      const waiting = { event_id: randomUUID(), topic: "alarms", kind, again: true }
      const many = Effect.suspend(() =>
        deliveries.add(Array.from({ length: atOnce + 2 }, () => ({ ...waiting, target_id })))
      )
      yield* many
      yield* present(targets.disable("acme", target_id, null))
      assert.deepStrictEqual(yield* states, [2, atOnce])
      assert.deepStrictEqual([yield* deliveries.giveUp, yield* deliveries.giveUp], [2, 0])
      assert.deepStrictEqual(yield* states, [0, atOnce + 2])

      yield* present(targets.enable("acme", target_id, 0))
      yield* many
      yield* present(targets.disable("acme", target_id, null))
      assert.isUndefined(yield* targets.enable("globex", target_id, 0))
      assert.deepStrictEqual((yield* states)[0], 2)
      yield* present(targets.enable("acme", target_id, 0))
      assert.deepStrictEqual(yield* states, [0, 2 * atOnce + 4])
      assert.isUndefined(yield* targets.remove("globex", target_id))
      assert.deepStrictEqual((yield* states)[1], 2 * atOnce + 4)
      yield* present(targets.remove("acme", target_id))
      assert.deepStrictEqual(yield* states, [0, 0])
      assert.strictEqual(yield* deliveries.count(other.target_id, "pending"), 1)

      yield* deliveries.add(Array.from({ length: atOnce }, () => ({ ...waiting, target_id: other.target_id })))
      const later = DateTime.add(yield* DateTime.now, { days: 1 })
      assert.deepStrictEqual([yield* deliveries.prune(later), yield* deliveries.prune(later)], [atOnce, 1])
    })
  )

  story(
    "a disabled target is not active, drops its pending deliveries, and restarts when enabled",
    Effect.fnUntraced(function* () {
      const targets = yield* Targets
      const deliveries = yield* Deliveries
      const target = yield* made("acme")
      yield* sent([target], 2)
      const off = yield* present(targets.disable("acme", target.target_id, "It answered 410"))
      assert.deepInclude(off, { state: "disabled", disabled_reason: "It answered 410", due_at: null })
      assert.isUndefined(yield* targets.disable("acme", target.target_id, null), "it is off already")
      assert.deepStrictEqual(yield* targets.active(["acme"]), [])
      const rows = yield* deliveries.page(target.target_id, undefined, 10)
      assert.deepStrictEqual(
        rows.map((_) => [_.state, _.given_up, _.finished_at === null]),
        [
          ["failed", "It was disabled before the event was sent", false],
          ["failed", "It was disabled before the event was sent", false]
        ]
      )
      yield* sent([target])
      assert.strictEqual(yield* deliveries.count(target.target_id), 2, "nothing is added for it")

      const on = yield* present(targets.enable("acme", target.target_id, 7))
      assert.deepInclude(on, { state: "active", disabled_reason: null, from_sequence: 7, failures_in_a_row: 0 })
      assert.isUndefined(yield* targets.enable("acme", target.target_id, 8), "it is on already")
      assert.deepStrictEqual(idsOf(yield* targets.active(["globex", "acme"])), [target.target_id])
      assert.isUndefined(yield* only, "what was given up stays so")
    })
  )
})

storiesOf("Deliveries", (story) => {
  story(
    "a target's deliveries are sent one at a time, in the order in which they were added",
    Effect.fnUntraced(function* () {
      const deliveries = yield* Deliveries
      const target = yield* made("acme")
      assert.isUndefined(yield* only, "nothing is due yet")
      const events = yield* sent([target], 3)
      let held = yield* present(only)
      assert.strictEqual(held.target_id, target.target_id)
      assert.isUndefined(yield* only, "somebody has it")

      for (const event of events) {
        const { delivery, envelope } = yield* next(held)
        assert.deepInclude(delivery, { event_id: event, state: "pending", attempts: [], again: false })
        assert.deepInclude(envelope ?? {}, { id: event })
        held = yield* present(deliveries.conclude(held, delivery, arrived))
      }
      assert.isUndefined(yield* deliveries.next(held))
      yield* deliveries.release(held)
      assert.isUndefined(yield* only, "nothing is due any more")

      const rows = yield* deliveries.page(target.target_id, undefined, 2)
      assert.deepStrictEqual(
        rows.map((_) => [_.event_id, _.state, _.attempts]),
        [
          [events[2] ?? "", "delivered", [attempt]],
          [events[1] ?? "", "delivered", [attempt]]
        ]
      )
      const rest = yield* deliveries.page(target.target_id, rows[1]?.number, 2)
      assert.deepStrictEqual(
        rest.map((_) => _.event_id),
        [events[0]]
      )
      assert.strictEqual(yield* deliveries.count(target.target_id), 3)
    })
  )

  story(
    "a delivery sent beside the log is listed, is not pending, and needs an existing target",
    Effect.fnUntraced(function* () {
      const deliveries = yield* Deliveries
      const target = yield* made("acme", { kind: "email" })
      const { target_id } = target
      const ping = { event_id: randomUUID(), topic: "webhooks", kind: "integration.ping", again: false }
      yield* deliveries.addSent({ ...ping, target_id }, attempt)
      const refused = { ...attempt, status: 500, error: "it answered 500" }
      yield* deliveries.addSent({ ...ping, target_id, event_id: randomUUID() }, refused)
      yield* deliveries.addSent({ ...ping, target_id: "gone" }, attempt)
      const rows = yield* deliveries.page(target_id, undefined, 5)
      assert.deepStrictEqual(
        rows.map((_) => [_.kind, _.state, _.attempts, _.given_up]),
        [
          [ping.kind, "failed", [refused], null],
          [ping.kind, "delivered", [attempt], null]
        ]
      )
      for (const { created_at, finished_at } of rows) assert.deepStrictEqual(finished_at, created_at)
      assert.isUndefined(yield* deliveries.next(target))
      assert.isUndefined(yield* only, "nothing is due")
      const since = DateTime.subtractDuration(yield* DateTime.now, "1 hour")
      assert.strictEqual(yield* deliveries.mailed("acme", since), 0, "a ping is no event")
    })
  )

  story(
    "an event is added for a target once, unless it is requested again",
    Effect.fnUntraced(function* () {
      const deliveries = yield* Deliveries
      const target = yield* made("acme")
      const [event_id = ""] = yield* sent([target])
      const row = { target_id: target.target_id, event_id, topic: "alarms", kind, again: false }
      assert.strictEqual(yield* deliveries.add([row]), 0)
      assert.strictEqual(yield* deliveries.add([{ ...row, target_id: "gone" }]), 0)
      const again = yield* present(deliveries.again({ ...row, again: true }))
      assert.deepInclude(again, { event_id, again: true, state: "pending" })
      assert.isUndefined(yield* deliveries.again({ ...row, target_id: "gone", again: true }))
      assert.strictEqual(yield* deliveries.count(target.target_id), 2)
      assert.deepStrictEqual(yield* deliveries.again({ ...row, again: true }), again, "it waits already")
      assert.strictEqual(yield* deliveries.count(target.target_id), 2)

      const held = yield* present(only)
      const first = yield* next(held)
      yield* deliveries.conclude(held, first.delivery, arrived)
      const states = (state: "pending" | "delivered" | "failed") =>
        Effect.all([
          deliveries.count(target.target_id, state),
          Effect.map(deliveries.page(target.target_id, undefined, 10, state), (_) => _.map((_) => _.delivery_id))
        ])
      assert.deepStrictEqual(yield* states("delivered"), [1, [first.delivery.delivery_id]])
      assert.deepStrictEqual(yield* states("pending"), [1, [again.delivery_id]])
      assert.deepStrictEqual(yield* states("failed"), [0, []])

      const second = yield* next(held)
      yield* deliveries.conclude(held, second.delivery, arrived)
      const third = yield* present(deliveries.again({ ...row, again: true }))
      assert.notStrictEqual(third.delivery_id, again.delivery_id, "none waits any more")

      assert.deepStrictEqual(yield* deliveries.event("acme", event_id), { topic: "alarms", kind })
      assert.isUndefined(yield* deliveries.event("globex", event_id), "another tenant's event is none")
      assert.isUndefined(yield* deliveries.event("acme", randomUUID()))
    })
  )

  story(
    "a failed attempt pauses a target, and a dropped event rests it, despite new events",
    Effect.fnUntraced(function* () {
      const deliveries = yield* Deliveries
      const target = yield* made("acme")
      yield* sent([target])
      const first = yield* present(only)
      const { delivery } = yield* next(first)
      yield* deliveries.release(yield* present(deliveries.conclude(first, delivery, inVain)))
      yield* pass("4 seconds")
      assert.isUndefined(yield* only)
      yield* pass("2 seconds")
      const second = yield* present(only)
      const since = yield* DateTime.now
      const resting = yield* present(deliveries.conclude(second, (yield* next(second)).delivery, givenUp(since)))
      assert.deepInclude(resting, { failures_in_a_row: 1, failing_since: since })
      assert.isNotNull(resting.rests_until)
      yield* deliveries.release(resting)
      yield* sent([target])
      yield* pass("25 seconds")
      assert.deepStrictEqual(yield* deliveries.claim("failing", 10), [])
      yield* pass("6 seconds")
      assert.isUndefined(yield* only, "one that fails is in the other lane")
      const [third] = yield* deliveries.claim("failing", 10)
      assert.strictEqual(third?.target_id, target.target_id)
      const [failed] = (yield* deliveries.page(target.target_id, undefined, 5)).toReversed()
      assert.deepInclude(failed ?? {}, { state: "failed", given_up: null })
      assert.strictEqual(failed?.attempts.length, 2)
    })
  )

  story(
    "a lease expires, and its former holder writes nothing",
    Effect.fnUntraced(function* () {
      const deliveries = yield* Deliveries
      const target = yield* made("acme")
      yield* sent([target])
      const first = yield* present(only)
      const { delivery } = yield* next(first)
      yield* pass("14 seconds")
      assert.isUndefined(yield* only)
      yield* pass("2 seconds")
      const second = yield* present(only)
      assert.isUndefined(yield* deliveries.conclude(first, delivery, arrived))
      yield* deliveries.release(first)
      assert.isUndefined(yield* only, "it gives nothing back either")
      assert.strictEqual((yield* next(second)).delivery.state, "pending")
    })
  )

  story(
    "each tenant is served once before any twice, and the last served comes last",
    Effect.fnUntraced(function* () {
      const deliveries = yield* Deliveries
      const many = yield* Effect.all([made("acme"), made("acme"), made("acme")])
      const one = yield* made("globex")
      yield* pass("1 second")
      yield* sent(many, 5)
      yield* sent([one], 5)
      const [a, b, ...none] = yield* claimed(2)
      assert.deepStrictEqual(none, [])
      assert.deepStrictEqual([a?.project_id, b?.project_id].toSorted(), ["acme", "globex"])
      for (const _ of [a, b]) if (_ !== undefined) yield* deliveries.release(_)
      yield* pass("1 second")
      const [c, d] = yield* claimed(2)
      assert.deepStrictEqual([c?.project_id, d?.project_id].toSorted(), ["acme", "globex"])
      const ofAcme = [a, b, c, d].flatMap((_) => (_?.project_id === "acme" ? [_.target_id] : []))
      assert.strictEqual(new Set(ofAcme).size, 2, "the second turn is another target's")
    })
  )

  story(
    "a delivery in flight of a disabled target is delivered or dropped by its outcome",
    Effect.fnUntraced(function* () {
      const deliveries = yield* Deliveries
      const targets = yield* Targets
      for (const [concluded, state] of [
        [arrived, "delivered"],
        [inVain, "failed"]
      ] as const) {
        const target = yield* made("acme")
        yield* sent([target])
        const held = yield* present(only)
        const { delivery } = yield* next(held)
        yield* targets.disable("acme", target.target_id, null)
        const entry = yield* present(deliveries.conclude(held, delivery, concluded))
        assert.strictEqual(entry.state, "disabled")
        const [row] = yield* deliveries.page(target.target_id, undefined, 1)
        assert.strictEqual(row?.state, state)
        assert.isNotNull(row?.finished_at)
        assert.strictEqual(row?.given_up === null, state === "delivered")
        assert.isUndefined(yield* only)
      }
    })
  )

  story(
    "old deliveries are deleted, a removed target takes its own, and the backlog counts pending ones",
    Effect.fnUntraced(function* () {
      const deliveries = yield* Deliveries
      assert.deepStrictEqual(yield* deliveries.backlog, { waiting: 0, oldest: null })
      const [a, b] = yield* Effect.all([made("acme"), made("acme")])
      yield* sent([a, b])
      yield* pass("31 days")
      yield* sent([a, b])
      assert.strictEqual((yield* deliveries.backlog).waiting, 4)
      const before = DateTime.subtractDuration(yield* DateTime.now, Duration.days(30))
      assert.strictEqual(yield* deliveries.prune(before), 2)
      yield* (yield* Targets).remove("acme", a.target_id)
      const { oldest, waiting } = yield* deliveries.backlog
      assert.strictEqual(waiting, 1)
      assert.isTrue(oldest !== null && DateTime.isGreaterThan(oldest, before))
      assert.deepStrictEqual(idsOf(yield* claimed()), [b.target_id])
    })
  )

  story(
    "a delivery whose event was pruned has no envelope",
    Effect.fnUntraced(function* () {
      const target = yield* made("acme")
      yield* sent([target])
      yield* pass("1 day")
      yield* (yield* EventLog).prune("alarms", yield* DateTime.now)
      const { delivery, envelope } = yield* next(yield* present(only))
      assert.isNull(envelope)
      assert.strictEqual(delivery.kind, kind)
    })
  )
})

postgresStoriesOf("Targets", (story) => {
  story(
    "a change writes the wished columns, and no other that is passed along",
    Effect.fnUntraced(function* () {
      const { change } = yield* Targets
      const target = yield* made("acme")
      const other = yield* made("globex", { name: "theirs", created_by: "somebody else" })
      const { updated_at, ...changed } = yield* present(change("acme", target.target_id, other))
      const { updated_at: _, ...before } = target
      assert.deepStrictEqual(changed, { ...before, name: "theirs" })
      assert.isTrue(DateTime.isGreaterThanOrEqualTo(updated_at, target.updated_at))
    })
  )
})

postgresStoriesOf("Deliveries of several replicas", (story) => {
  story(
    "of many concurrent claims, each target is claimed by one",
    Effect.fnUntraced(function* () {
      const replicas = yield* Effect.all([replica, replica, replica])
      const targets = yield* Effect.all(Array.from({ length: 20 }, (_, index) => made(`tenant-${index % 5}`)))
      for (const target of targets) yield* sent([target])
      const claims = yield* Effect.all(
        replicas.map((_) => Effect.provide(claimed(20), _)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(idsOf(claims.flat()), idsOf(targets))
    })
  )

  story(
    "two concurrent requests for an event again get one delivery",
    Effect.fnUntraced(function* () {
      const other = yield* replica
      const deliveries = yield* Deliveries
      const target = yield* made("acme")
      const [event_id = ""] = yield* sent([target])
      const asked = Effect.flatMap(Deliveries, (_) =>
        _.again({ target_id: target.target_id, event_id, topic: "alarms", kind, again: true })
      )
      const added = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const first = Effect.gen(function* () {
        const asking = Effect.tap(asked, () => Effect.andThen(Deferred.succeed(added, undefined), Deferred.await(go)))
        return yield* (yield* Transactions).atomically(asking)
      })
      const one = yield* Effect.forkChild(Effect.provide(first, other))
      yield* Deferred.await(added)
      const two = yield* Effect.forkChild(asked)
      yield* somebodyWaits
      yield* Deferred.succeed(go, undefined)
      assert.deepStrictEqual(yield* Fiber.join(two), yield* Fiber.join(one))
      assert.strictEqual(yield* deliveries.count(target.target_id), 2)
    })
  )

  story(
    "a delivery added while its target is released is not left pending",
    Effect.fnUntraced(function* () {
      const other = yield* replica
      const deliveries = yield* Deliveries
      const target = yield* made("acme")
      yield* sent([target])
      const held = yield* present(only)
      const idle = yield* present(deliveries.conclude(held, (yield* next(held)).delivery, arrived))

      const added = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const adding = Effect.gen(function* () {
        const more = Effect.andThen(
          sent([target]),
          Effect.andThen(Deferred.succeed(added, undefined), Deferred.await(go))
        )
        yield* (yield* Transactions).atomically(more)
      })
      const fiber = yield* Effect.forkChild(Effect.provide(adding, other))
      yield* Deferred.await(added)
      const letting = yield* Effect.forkChild(deliveries.release(idle))
      yield* somebodyWaits
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(fiber)
      yield* Fiber.join(letting)
      assert.strictEqual((yield* present(only)).target_id, target.target_id)
    })
  )
})
