import { assert, it } from "@effect/vitest"
import { Caller } from "@portico/contract/Access"
import { eventCursorOf, eventSequenceOf } from "@portico/contract/EventRoutes"
import { auditTopic, budgetTopic, type TenantTopic } from "@portico/contract/Events"
import { maxExamined } from "@portico/domain/events/findInLog"
import { Publisher } from "@portico/domain/events/Publisher"
import { readEvents } from "@portico/domain/events/readEvents"
import { EventLog } from "@portico/store/EventLog"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { administrator, callerOf } from "@portico/testing/tenants/caller"
import { come, event, EventsInMemory } from "./events.ts"

const acme = callerOf("acme")

interface Query {
  readonly topic?: ReadonlyArray<TenantTopic>
  readonly kind?: ReadonlyArray<string>
  readonly since?: string
  readonly until?: string
  readonly order?: "asc" | "desc"
  readonly limit?: number
  readonly cursor?: string
  readonly project_id?: string
}

const read = (query: Query = {}, caller: Caller = acme, plane: "customer" | "operator" = "customer") =>
  Effect.map(readEvents(caller, plane, { order: "asc", ...query }), ({ events, ...cursors }) => ({
    kinds: events.map((_) => _.kind),
    ...cursors
  }))

/** Page by page to the end, and how many pages that took. */
const readAll = Effect.fnUntraced(function* (query: Query) {
  const kinds: Array<string> = []
  let cursor: string | null = null
  for (let pages = 1; ; pages++) {
    const page: Effect.Success<ReturnType<typeof read>> = yield* read(cursor === null ? query : { ...query, cursor })
    kinds.push(...page.kinds)
    if (page.next_cursor === null) return { kinds, pages, last_cursor: page.last_cursor }
    cursor = page.next_cursor
  }
})

const five = ["k.one", "k.two", "k.three", "k.four", "k.five"]

it.effect("a tenant's events are read page by page, in both directions, each of them once", () =>
  Effect.gen(function* () {
    for (const kind of five) {
      yield* come([kind])
      yield* come(["other.one"], { project_id: "globex" })
      yield* come(["nobodys.one"], { project_id: null })
      yield* come(["api.call"], { topic: auditTopic })
    }
    for (const limit of [1, 2, 4, 5, 6]) {
      assert.deepStrictEqual((yield* readAll({ limit })).kinds, five)
      assert.deepStrictEqual((yield* readAll({ limit, order: "desc" })).kinds, five.toReversed())
    }
    assert.strictEqual((yield* readAll({ limit: 5 })).pages, 1)
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect("the last page's cursor reads the events since", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* read(), { kinds: [], next_cursor: null, last_cursor: null })
    yield* come(["k.one", "k.two"])
    const first = yield* read()
    assert.deepStrictEqual([first.kinds, first.next_cursor], [["k.one", "k.two"], null])
    const cursor = first.last_cursor ?? ""

    assert.deepStrictEqual(yield* read({ cursor }), { kinds: [], next_cursor: null, last_cursor: cursor })
    yield* come(["other.one"], { project_id: "globex" })
    yield* come(["k.three"])
    assert.deepStrictEqual((yield* read({ cursor })).kinds, ["k.three"])
    // In the other order, what came before.
    assert.deepStrictEqual((yield* read({ cursor, order: "desc" })).kinds, ["k.one"])
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect("a cursor older than the retention begins at the oldest event", () =>
  Effect.gen(function* () {
    yield* come(["k.one", "k.two", "k.three"])
    const { last_cursor: cursor } = yield* read({ limit: 1 })
    yield* (yield* EventLog).prune("billing.lifecycle", DateTime.makeUnsafe(1), 2)
    assert.deepStrictEqual((yield* read({ cursor: cursor ?? "" })).kinds, ["k.three"])
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect.each<readonly [string, Query, ReadonlyArray<string>]>([
  ["a topic", { topic: ["alarms"] }, ["alarm.changed"]],
  ["topics", { topic: ["alarms", "asg.lifecycle"] }, ["group.limited", "alarm.changed"]],
  ["a kind", { kind: ["volume.create"] }, ["volume.create", "volume.create"]],
  ["kinds", { kind: ["alarm.changed", "volume.delete"] }, ["alarm.changed", "volume.delete"]],
  ["a topic and a kind that it has not", { topic: ["alarms"], kind: ["volume.create"] }, []],
  ["a moment on", { since: "1970-01-01T02:00:00Z" }, ["alarm.changed", "volume.create", "volume.delete"]],
  ["a moment before", { until: "1970-01-01T02:00:00Z" }, ["volume.create", "group.limited"]],
  ["a time", { since: "1970-01-01T02:00:00+01:00", until: "1970-01-01t03:00:00z" }, ["group.limited", "alarm.changed"]]
])("only events of the filter: %s", ([, query, kinds]) =>
  Effect.gen(function* () {
    yield* come(["volume.create"])
    yield* TestClock.adjust("1 hour")
    yield* come(["group.limited"], { topic: "asg.lifecycle" })
    yield* TestClock.adjust("1 hour")
    yield* come(["alarm.changed"], { topic: "alarms" })
    yield* TestClock.adjust("1 hour")
    yield* come(["volume.create", "volume.delete"])
    assert.deepStrictEqual((yield* readAll(query)).kinds, kinds)
    assert.deepStrictEqual((yield* readAll({ ...query, limit: 1, order: "desc" })).kinds, kinds.toReversed())
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect("a page examines a limited number of events, and has a cursor to continue", () =>
  Effect.gen(function* () {
    const common = Array.from({ length: maxExamined }, () => "k.common")
    yield* come(common)
    yield* come(["k.rare"])
    const first = yield* read({ kind: ["k.rare"] })
    assert.deepStrictEqual([first.kinds, first.next_cursor === null], [[], false])
    assert.deepStrictEqual((yield* read({ kind: ["k.rare"], cursor: first.next_cursor ?? "" })).kinds, ["k.rare"])
    assert.deepStrictEqual(yield* readAll({ kind: ["k.rare"] }), {
      kinds: ["k.rare"],
      pages: 2,
      last_cursor: (yield* read({ order: "desc", limit: 1 })).last_cursor
    })
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect("a malformed row does not block others", () =>
  Effect.gen(function* () {
    yield* come(["k.one"])
    const odd = yield* event("k.odd")
    const at = DateTime.makeUnsafe(0)
    yield* (yield* EventLog).append([
      { ...odd, at, envelope: { project_id: "acme", topic: odd.topic, kind: "k.odd", at: "yesterday" } }
    ])
    yield* come(["k.two"])
    assert.deepStrictEqual((yield* readAll({ limit: 1 })).kinds, ["k.one", "k.two"])
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect("a read waits for the process's own unpublished events, a second at most", () =>
  Effect.gen(function* () {
    const { publish } = yield* Publisher
    yield* publish(yield* event("k.mine"))
    assert.deepStrictEqual((yield* read()).kinds, ["k.mine"])
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect("billing events are read only with billing access", () =>
  Effect.gen(function* () {
    yield* come(["volume.create"])
    yield* come(["budget.breached"], { topic: budgetTopic })
    const unpaid = new Caller({ ...acme, billing: false })
    assert.deepStrictEqual((yield* read()).kinds, ["volume.create", "budget.breached"])
    assert.deepStrictEqual((yield* read({}, unpaid)).kinds, ["volume.create"])
    assert.deepStrictEqual((yield* read({ topic: [budgetTopic, "alarms"] }, unpaid)).kinds, [])
    const refused = yield* Effect.flip(read({ topic: [budgetTopic] }, unpaid))
    assert.deepStrictEqual([refused._tag, refused.code], ["Forbidden", "billing_access_required"])
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect("an administrator reads all events on the operator plane, or one project's", () =>
  Effect.gen(function* () {
    yield* come(["k.acme"])
    yield* come(["k.globex"], { project_id: "globex" })
    yield* come(["k.nobody"], { project_id: null })
    assert.deepStrictEqual((yield* read({}, administrator, "operator")).kinds, ["k.acme", "k.globex", "k.nobody"])
    assert.deepStrictEqual((yield* read({ project_id: "globex" }, administrator, "operator")).kinds, ["k.globex"])
    assert.strictEqual((yield* Effect.flip(read({}, administrator))).code, "tenant_required")
    // A tenant's are its own there, too.
    assert.deepStrictEqual((yield* read({}, acme, "operator")).kinds, ["k.acme"])
    assert.deepStrictEqual((yield* read({ project_id: "acme" })).kinds, ["k.acme"])
    assert.strictEqual((yield* Effect.flip(read({ project_id: "globex" }))).code, "tenant_not_found")
  }).pipe(Effect.provide(EventsInMemory))
)

it("a malformed cursor is refused", () => {
  for (const sequence of [0, 1, 2 ** 52]) assert.strictEqual(eventSequenceOf(eventCursorOf(sequence)), sequence)
  const others = ["", "x", "events:1", `${eventCursorOf(1)}=`, `${eventCursorOf(1)} `, eventCursorOf(1).slice(1)]
  const odd = ["events:01", "events:-1", "events:1.5", "events:99999999999999999", "audit:1", "events:1\n"]
  for (const text of [...others, ...odd.map((_) => Buffer.from(_, "utf8").toString("base64url"))]) {
    assert.isUndefined(eventSequenceOf(text), text)
  }
})
