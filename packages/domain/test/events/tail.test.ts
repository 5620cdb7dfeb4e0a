import { assert, it } from "@effect/vitest"
import { Tail } from "@portico/domain/events/Tail"
import { EventLog } from "@portico/store/EventLog"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Bus } from "@portico/domain/events/Bus"
import { come, EventsInMemory, kindOf, logWith } from "./events.ts"

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `n.${from + index}`)

/** So many of what a stream brings, by their kinds, from now on. */
const follow = (count: number) =>
  Effect.gen(function* () {
    const { rows } = yield* Tail
    return yield* rows.pipe(Stream.take(count), Stream.map(kindOf), Stream.runCollect, Effect.forkChild)
  })

it.effect("a follower gets all events from its start on, in order, and no earlier ones", () =>
  Effect.gen(function* () {
    yield* come(["before.one"])
    yield* TestClock.adjust("2 seconds")
    const early = yield* follow(1203)
    yield* Effect.yieldNow
    yield* come(["a.a", "a.b"])
    yield* come(["a.c"], { project_id: null })
    yield* TestClock.adjust("2 seconds")
    const late = yield* follow(1200)
    yield* Effect.yieldNow
    yield* come(numbers(1, 1200))
    assert.deepStrictEqual(yield* Fiber.join(early), ["a.a", "a.b", "a.c", ...numbers(1, 1200)])
    assert.deepStrictEqual(yield* Fiber.join(late), numbers(1, 1200))
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect("a follower far behind misses no event that is no longer buffered", () =>
  Effect.gen(function* () {
    yield* come(numbers(1, 5000))
    yield* TestClock.adjust("2 seconds")
    const { after } = yield* Tail
    const read = yield* after(0).pipe(Stream.take(5001), Stream.map(kindOf), Stream.runCollect, Effect.forkChild)
    yield* come(["the.last"])
    assert.deepStrictEqual(yield* Fiber.join(read), [...numbers(1, 5000), "the.last"])

    const [row] = yield* (yield* EventLog).read({
      topics: ["billing.lifecycle"],
      projectId: undefined,
      order: "desc",
      after: undefined,
      limit: 1
    })
    const rest = yield* after((row?.sequence ?? 0) - 1000).pipe(Stream.take(1000), Stream.runCollect)
    assert.strictEqual(rest.at(0)?.envelope["kind"], "n.4002")
    assert.strictEqual(rest.at(-1)?.sequence, row?.sequence)
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect("only waiters for a project, or for all, are woken by its event", () =>
  Effect.gen(function* () {
    const { arrival } = yield* Tail
    const [acme, globex, any] = yield* Effect.forEach(["acme", "globex", undefined], (_) =>
      Effect.flatMap(arrival(_), (arrived) => Effect.forkChild(arrived))
    )
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(
      [acme, globex, any].map((_) => _?.pollUnsafe()),
      [undefined, undefined, undefined]
    )

    yield* come(["a.a"], { project_id: "globex" })
    yield* TestClock.adjust("10 millis")

    assert.isDefined(globex?.pollUnsafe())
    assert.isDefined(any?.pollUnsafe())
    assert.isUndefined(acme?.pollUnsafe())
  }).pipe(Effect.provide(EventsInMemory))
)

it.effect("an audit record does not wake tenants, and every other event does", () =>
  Effect.gen(function* () {
    const told = yield* Effect.forkChild(Effect.flatten((yield* Tail).news))
    yield* TestClock.adjust("10 seconds")
    yield* come(["api.call"], { topic: "api.audit" })
    yield* TestClock.adjust("10 seconds")
    assert.isUndefined(told.pollUnsafe())
    yield* come(["alarm.state_changed"], { topic: "alarms", project_id: null })
    yield* TestClock.adjust("10 millis")
    assert.isDefined(told.pollUnsafe())
  }).pipe(Effect.provide(EventsInMemory))
)

/** A log whose arrivals nobody hears of, and that cannot be read while it is down. */
const failing = (state: { down: boolean }) =>
  Layer.merge(Tail.layer, Bus.layer).pipe(
    Layer.provideMerge(
      logWith((log) => ({
        arrivals: Effect.succeed(Stream.never),
        since: (after, limit) => (state.down ? Effect.die("the database is away") : log.since(after, limit))
      }))
    )
  )

it.effect("an event without a notification is found within half a minute", () => {
  const state = { down: false }
  return Effect.gen(function* () {
    yield* TestClock.adjust("1 millis")
    const read = yield* follow(1)
    yield* Effect.yieldNow
    yield* come(["un.heard"])
    yield* TestClock.adjust("30 seconds")
    assert.deepStrictEqual(yield* Fiber.join(read), ["un.heard"])
  }).pipe(Effect.provide(failing(state)))
})

it.effect("while notifications fail, an event is found within a second", () => {
  const deaf = Layer.merge(Tail.layer, Bus.layer).pipe(
    Layer.provideMerge(logWith(() => ({ arrivals: Effect.succeed(Stream.fail("the connection was lost")) })))
  )
  return Effect.gen(function* () {
    yield* TestClock.adjust("1 millis")
    const read = yield* follow(1)
    yield* Effect.yieldNow
    yield* come(["un.heard"])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* Fiber.join(read), ["un.heard"])
  }).pipe(Effect.provide(deaf))
})

it.effect("a database outage loses no event", () => {
  const state = { down: false }
  return Effect.gen(function* () {
    yield* TestClock.adjust("1 millis")
    const read = yield* follow(3)
    yield* Effect.yieldNow
    yield* come(["a.before"])
    yield* TestClock.adjust("30 seconds")
    state.down = true
    yield* come(["a.during"])
    yield* TestClock.adjust("1 minute")
    assert.isUndefined(read.pollUnsafe())
    state.down = false
    yield* come(["a.after"])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* Fiber.join(read), ["a.before", "a.during", "a.after"])
  }).pipe(Effect.provide(failing(state)))
})
