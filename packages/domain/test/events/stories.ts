import { LifecycleEvent } from "@portico/contract/Events"
import { assert, describe, it } from "@effect/vitest"
import { Audit } from "@portico/domain/audit/Audit"
import { Bus } from "@portico/domain/events/Bus"
import { type Change, Lifecycle } from "@portico/domain/events/Lifecycle"
import { Publisher } from "@portico/domain/events/Publisher"
import { EventLog } from "@portico/store/EventLog"
import * as Store from "@portico/store/Store"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { Context, Effect, Exit, Fiber, Layer, Logger, Schema, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { settle } from "@portico/testing/clock"

/** What becomes of an append: nothing and a defect, or done and the answer lost, or no end, or an interruption. */
export type Trouble = "fails" | "loses the answer" | "hangs" | "hangs for good" | "is interrupted"

/** Those that end when they are given up; what hangs for good does not. */
export const troubles: ReadonlyArray<Trouble> = ["fails", "loses the answer", "hangs", "is interrupted"]

const refused = new Error("the statement failed", { cause: new Error("connect ECONNREFUSED 10.0.0.5:5432") })

/** The log of a store that gives trouble when a story wants it. */
export class Unreliable extends Context.Service<
  Unreliable,
  {
    /** From now on, until told otherwise; undefined is no trouble. */
    become(trouble: Trouble | undefined): Effect.Effect<void>
    /** Only the n-th append from now on, from 1. */
    troubleAt(nth: number, trouble: Trouble): Effect.Effect<void>
    /** How many events each append brought, oldest first. */
    readonly appends: Effect.Effect<ReadonlyArray<number>>
    /** Until everything has run that needs no time; the database answers in a time of its own. */
    readonly quiet: Effect.Effect<void>
  }
>()("portico/domain/test/Unreliable") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const log = yield* EventLog
      const appends: Array<number> = []
      let troubleOf = (_: number): Trouble | undefined => undefined
      let since = 0
      let busy = 0

      const kept: typeof log.append = (events) =>
        Effect.acquireUseRelease(
          Effect.sync(() => void busy++),
          () => log.append(events),
          () => Effect.sync(() => void busy--)
        )
      const append: typeof log.append = (events) =>
        Effect.suspend(() => {
          appends.push(events.length)
          switch (troubleOf(++since)) {
            case undefined:
              return kept(events)
            case "fails":
              return Effect.die(refused)
            case "loses the answer":
              return Effect.andThen(kept(events), Effect.die(refused))
            case "hangs":
              return Effect.never
            case "hangs for good":
              return Effect.uninterruptible(Effect.never)
            case "is interrupted":
              return Effect.interrupt
          }
        })
      const from = (of: (nth: number) => Trouble | undefined) =>
        Effect.sync(() => {
          since = 0
          troubleOf = of
        })

      return Context.make(EventLog, EventLog.of({ ...log, append })).pipe(
        Context.add(
          Unreliable,
          Unreliable.of({
            become: (trouble) => from(() => trouble),
            troubleAt: (nth, trouble) => from((at) => (at === nth ? trouble : undefined)),
            appends: Effect.sync(() => appends),
            quiet: Effect.repeat(settle, { until: () => busy === 0 })
          })
        )
      )
    })
  )
}

/** Lines of the log, with what was logged beside the words. */
export class Lines extends Context.Service<Lines, Array<{ readonly level: string; readonly said: string }>>()(
  "portico/domain/test/Lines"
) {
  static readonly layer = Layer.unwrap(
    Effect.sync(() => {
      const lines: Array<{ level: string; said: string }> = []
      const keep = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message }) => {
        lines.push({ level, said: JSON.stringify([message, annotations, cause]) })
      })
      return Layer.merge(Layer.succeed(Lines, lines), Logger.layer([keep]))
    })
  )
}

export const saying = (words: string) =>
  Effect.map(Lines, (lines) => lines.filter((_) => _.said.includes(words)).map((_) => _.said))

/** A gateway's publisher, and the two who publish, until it is told to stop. */
export const startedWith = Effect.fnUntraced(function* (publisher: typeof Publisher.layer) {
  const scope = yield* Scope.make()
  const both = Layer.merge(Lifecycle.layerNoDeps, Audit.layerNoDeps).pipe(
    Layer.provide(publisher),
    Layer.provide(Bus.layer)
  )
  const context = yield* Layer.buildWithScope(Layer.fresh(both), scope)
  const { record } = Context.get(context, Lifecycle)
  const audit = Context.get(context, Audit).record
  // As a process that is told to stop closes it.
  return { record, audit, stop: Effect.uninterruptible(Scope.close(scope, Exit.void)) }
})

export const started = Effect.suspend(() => startedWith(Publisher.layer))

/** The n-th change of a story. */
export const change = (nth: number): Change => ({
  kind: "volume.create",
  projectId: "project-1",
  data: {
    resource_type: "volume",
    resource_id: `volume-${nth}`,
    detail: { size_gb: 10 },
    user_id: "user-1",
    credential_id: "cred-1",
    request_id: "4bf92f3577b34da6a3ce929d0e0e4736"
  }
})

export const changes = (count: number, first = 1) => Array.from({ length: count }, (_, index) => change(first + index))

export const ids = (count: number) => changes(count).map((_) => _.data.resource_id)

/** A closed schema: an envelope with anything else in it is no event. */
const decode = Schema.decodeUnknownEffect(LifecycleEvent, { onExcessProperty: "error" })

/** What the ledger can read. */
export const ledger = Effect.gen(function* () {
  const rows = yield* (yield* EventLog).page("billing.lifecycle", 0, 1_000_000)
  return yield* Effect.forEach(rows, (row) => Effect.map(decode(row.envelope), (event) => ({ row, event })))
})

export const resources = Effect.map(ledger, (_) => _.map(({ event }) => event.data.resource_id))

const quiet = Effect.flatMap(Unreliable, (_) => _.quiet)

/** The ledger can read exactly these, without any time passing. */
export const published = Effect.fnUntraced(function* (expected: ReadonlyArray<string>) {
  yield* quiet
  assert.deepStrictEqual(yield* resources, expected)
})

/** Lets the story's time pass in steps. */
export const elapse = Effect.fnUntraced(function* (seconds: number, step = 1) {
  for (let second = 0; second < seconds; second += step) {
    yield* quiet
    yield* TestClock.adjust(`${step} seconds`)
  }
  yield* quiet
})

/** How many seconds an effect took, in the story's time. */
export const secondsOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let second = 0; second < 100; second++) {
    yield* quiet
    if (fiber.pollUnsafe() !== undefined) {
      yield* Fiber.join(fiber)
      return second
    }
    yield* TestClock.adjust("1 second")
  }
  return yield* Effect.die("it does not end")
})

const unreliable = Layer.merge(Unreliable.layer, Lines.layer)

const inMemory = unreliable.pipe(Layer.provide(MemoryStore.layer))

const onPostgres = unreliable.pipe(
  Layer.provide(Store.layerNoDeps),
  Layer.provideMerge(TestDatabase.layer),
  Layer.orDie
)

type Story<R = never> = (
  title: string,
  story: () => Effect.Effect<void, unknown, EventLog | Unreliable | Lines | Scope.Scope | R>
) => void

/** Tells the same stories over both stores. The clock is the story's in both. */
export const storiesOf = (subject: string, tell: (story: Story) => void) => {
  describe(`${subject}, in memory`, () =>
    tell((title, story) => it.effect(title, () => Effect.provide(Effect.scoped(story()), Layer.fresh(inMemory)))))
  postgresStoriesOf(`${subject}, on PostgreSQL`, tell)
}

export const postgresStoriesOf = (subject: string, tell: (story: Story<SqlClient.SqlClient>) => void) =>
  describe(subject, () =>
    tell((title, story) => it.effect(title, () => Effect.provide(Effect.scoped(story()), Layer.fresh(onPostgres))))
  )
