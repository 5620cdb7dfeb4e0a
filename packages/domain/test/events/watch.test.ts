import { assert, it } from "@effect/vitest"
import { Caller } from "@portico/contract/Access"
import { eventCursorOf } from "@portico/contract/EventRoutes"
import { budgetTopic } from "@portico/contract/Events"
import { readEvents } from "@portico/domain/events/readEvents"
import { type Watched, watchEvents } from "@portico/domain/events/watchEvents"
import { Watchers } from "@portico/domain/events/Watchers"
import { Stopping } from "@portico/domain/health/Stopping"
import { Effect, Fiber, type Layer, Queue, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { administrator, callerOf } from "@portico/testing/tenants/caller"
import { come, EventsInMemory } from "./events.ts"

const acme = callerOf("acme")

const wordOf = (_: Watched): string =>
  _._tag === "Events"
    ? _.events.map(({ event }) => event.kind).join(" ")
    : _._tag === "Silence"
      ? "silence"
      : "standing"

type Query = Parameters<typeof watchEvents>[2]

/** Somebody watches until the story is over, or the stream. */
const watch = Effect.fnUntraced(function* (
  query: Query = {},
  caller: Caller = acme,
  again: Effect.Effect<Caller | undefined> = Effect.succeed(caller)
) {
  const said: Array<string> = []
  const watched = yield* watchEvents(caller, "customer", query, again)
  const fiber = yield* Effect.forkScoped(Stream.runForEach(watched, (_) => Effect.sync(() => said.push(wordOf(_)))))
  yield* TestClock.adjust("1 millis")
  return { said, ended: () => fiber.pollUnsafe() !== undefined }
})

/** Time for what came to be read. */
const soon = TestClock.adjust("200 millis")

const story = <E>(title: string, told: Effect.Effect<void, E, Scope.Scope | Layer.Success<typeof EventsInMemory>>) =>
  it.effect(title, () => told.pipe(Effect.scoped, Effect.provide(EventsInMemory)))

story(
  "a watcher gets its events from its start on, at once",
  Effect.gen(function* () {
    yield* come(["be.fore"])
    const { said } = yield* watch()
    assert.deepStrictEqual(said, ["standing"])
    yield* come(["k.one", "k.two"])
    yield* come(["not.mine"], { project_id: "globex" })
    yield* come(["no.bodys"], { project_id: null })
    yield* soon
    yield* come(["k.three"])
    yield* soon
    assert.deepStrictEqual(said, ["standing", "k.one k.two", "k.three"])
  })
)

story(
  "a watcher with a cursor gets all events after it, once",
  Effect.gen(function* () {
    yield* come(["k.one", "k.two"])
    const { last_cursor } = yield* readEvents(acme, "customer", { order: "asc", limit: 1 })
    yield* come(Array.from({ length: 250 }, (_, index) => `n.${index}`))
    const { said } = yield* watch({ cursor: last_cursor ?? "" })
    yield* come(["k.last"])
    yield* soon
    yield* soon
    assert.deepStrictEqual(said.slice(1).join(" ").split(" "), [
      "k.two",
      ...Array.from({ length: 250 }, (_, index) => `n.${index}`),
      "k.last"
    ])
  })
)

story(
  "a watcher gets only events of its filter",
  Effect.gen(function* () {
    const { said } = yield* watch({ topic: ["alarms"], kind: ["k.two"] })
    yield* come(["k.one", "k.two"])
    yield* come(["k.one", "k.two"], { topic: "alarms" })
    yield* soon
    assert.deepStrictEqual(said, ["standing", "k.two"])
  })
)

/** Two streams of acme that look for an event behind thousands of others. */
const searching = Effect.gen(function* () {
  yield* come(Array.from({ length: 12_000 }, () => "not.asked"))
  yield* come(["k.one"])
  return yield* Effect.forEach([1, 2], () => watch({ cursor: eventCursorOf(0), kind: ["k.one"] }))
})

const allTurnsTaken = Effect.gen(function* () {
  const { catchUp } = yield* Watchers
  yield* Effect.forEach([1, 2], () => Effect.forkScoped(catchUp("acme", Effect.never)))
})

const globex = callerOf("globex")

story(
  "streams that search a long log take turns, with a pause after every page without a match",
  Effect.gen(function* () {
    yield* come(["k.theirs"], { project_id: "globex" })
    const search = yield* searching
    const behind = yield* watch({ cursor: eventCursorOf(0) }, globex)
    yield* TestClock.adjust("50 millis")
    assert.deepStrictEqual(
      [...search, behind].map((_) => _.said),
      [["standing"], ["standing"], ["standing"]]
    )
    yield* TestClock.adjust("100 millis")
    assert.deepStrictEqual(
      [...search, behind].map((_) => _.said),
      [["standing"], ["standing"], ["standing", "k.theirs"]]
    )
    yield* soon
    assert.deepStrictEqual(
      search.map((_) => _.said),
      [
        ["standing", "k.one"],
        ["standing", "k.one"]
      ]
    )
  })
)

story(
  "a stream that waits for its turn sends a heartbeat every 15 seconds",
  Effect.gen(function* () {
    yield* allTurnsTaken
    const { said } = yield* watch({ cursor: eventCursorOf(0) }, globex)
    yield* TestClock.adjust("15 seconds")
    yield* TestClock.adjust("15 seconds")
    assert.deepStrictEqual(said, ["standing", "silence", "silence"])
  })
)

story(
  "a stream at the end of the log does not wait for those that search it",
  Effect.gen(function* () {
    yield* allTurnsTaken
    const { said } = yield* watch({}, globex)
    yield* come(["k.theirs"], { project_id: "globex" })
    yield* soon
    assert.deepStrictEqual(said, ["standing", "k.theirs"])
  })
)

story(
  "an idle stream sends a heartbeat every 15 seconds",
  Effect.gen(function* () {
    const { said } = yield* watch()
    yield* TestClock.adjust("14 seconds")
    assert.deepStrictEqual(said, ["standing"])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(said, ["standing", "silence"])
    yield* TestClock.adjust("10 seconds")
    yield* come(["k.one"])
    yield* TestClock.adjust("14 seconds")
    assert.deepStrictEqual(said, ["standing", "silence", "k.one"])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(said.slice(3), ["silence"])
  })
)

const changes: ReadonlyArray<readonly [string, Caller | undefined]> = [
  ["may not read any longer", undefined],
  ["acts for another tenant", callerOf("globex")],
  ["may not see money any longer", new Caller({ ...acme, billing: false })]
]

for (const [what, now] of changes) {
  story(
    `a caller who ${what} gets no more events, and the stream ends`,
    Effect.gen(function* () {
      let caller: Caller | undefined = acme
      const again = Effect.sync(() => caller)
      const busy = yield* watch({}, acme, again)
      const quiet = yield* watch({ topic: ["alarms"] }, acme, again)
      yield* come(["k.one"])
      yield* soon
      caller = now
      yield* come(["k.two"])
      yield* soon
      assert.deepStrictEqual([busy.said, busy.ended()], [["standing", "k.one"], true])
      assert.isFalse(quiet.ended())
      yield* TestClock.adjust("15 seconds")
      assert.deepStrictEqual([quiet.said, quiet.ended()], [["standing"], true])
    })
  )
}

story(
  "a process that stops ends all streams, and starts none that lasts",
  Effect.gen(function* () {
    const { begin } = yield* Stopping
    const { ended, said } = yield* watch()
    begin()
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual([said, ended()], [["standing"], true])
    assert.isTrue((yield* watch()).ended())
  })
)

story(
  "streams are limited per tenant and process, and one that ends frees a place",
  Effect.gen(function* () {
    const one = yield* Effect.forkScoped(
      Effect.andThen(watchEvents(acme, "customer", {}, Effect.succeed(acme)), Effect.never).pipe(Effect.scoped)
    )
    yield* TestClock.adjust("1 millis")
    yield* watch()
    const full = yield* Effect.flip(Effect.scoped(watch()))
    assert.deepStrictEqual([full._tag, full.code], ["TooManyRequests", "event_streams_exhausted"])
    yield* watch({}, callerOf("globex"))
    const crowded = yield* Effect.flip(Effect.scoped(watch({}, callerOf("initech"))))
    assert.deepStrictEqual([crowded._tag, crowded.code], ["TooManyRequests", "event_streams_full"])
    yield* Fiber.interrupt(one)
    yield* watch()
  })
)

story(
  "a caller without the right is refused before the stream begins",
  Effect.gen(function* () {
    const refused = Effect.fnUntraced(function* (query: Query, caller: Caller) {
      return (yield* Effect.flip(watch(query, caller))).code
    })
    assert.strictEqual(yield* refused({}, administrator), "tenant_required")
    assert.strictEqual(yield* refused({ project_id: "globex" }, acme), "tenant_not_found")
    const unpaid = new Caller({ ...acme, billing: false })
    assert.strictEqual(yield* refused({ topic: [budgetTopic] }, unpaid), "billing_access_required")
  })
)

story(
  "a reader that pauses gets all of it afterwards",
  Effect.gen(function* () {
    const watched = yield* watchEvents(acme, "customer", { cursor: eventCursorOf(0) }, Effect.succeed(acme))
    const taken = yield* Queue.bounded<Watched>(1)
    yield* Effect.forkScoped(Stream.runForEach(watched, (_) => Queue.offer(taken, _)))
    for (let round = 0; round < 5; round++) {
      yield* come(Array.from({ length: 100 }, (_, index) => `r${round}.n${index}`))
      yield* TestClock.adjust("1 minute")
    }
    const kinds: Array<string> = []
    while (kinds.length < 500) {
      const next = yield* Queue.take(taken)
      if (next._tag === "Events") kinds.push(...next.events.map(({ event }) => event.kind))
      yield* soon
    }
    assert.deepStrictEqual(
      [kinds.length, kinds.at(0), kinds.at(-1), new Set(kinds).size],
      [500, "r0.n0", "r4.n99", 500]
    )
  })
)
