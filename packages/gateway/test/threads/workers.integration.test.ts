import { assert, it } from "@effect/vitest"
import { reservedPort, Workers } from "@portico/gateway/threads/Workers"
import { Duration, Effect, Logger } from "effect"
import { request } from "undici"
import { join } from "node:path"
import { eventually } from "../processes/children.ts"

const program = join(import.meta.dirname, "programs/thread.ts")

/** On a connection of its own, so that the kernel chooses a thread. */
const get = (url: string) =>
  Effect.promise(async () => {
    const { body } = await request(url, { headers: { connection: "close" } })
    const answer: unknown = await body.json()
    return answer as { readonly index: number; readonly refused: string | null }
  })

const started = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>> = {}) {
  const workers = yield* Workers
  const port = yield* reservedPort("127.0.0.1", 0)
  const { customer } = yield* workers.start({ PORT: String(port), ...settings })
  return { url: customer, metrics: workers.metrics }
})

it.live("threads listen on one port, and share an owner's counts", () =>
  Effect.gen(function* () {
    const { metrics, url } = yield* started()
    assert.deepStrictEqual((yield* metrics).toSorted(), ['calls{thread="0"} 3\n', 'calls{thread="1"} 3\n'])
    const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => get(url))
    assert.deepStrictEqual(new Set(answers.map((_) => _.index)), new Set([0, 1]))
    assert.strictEqual(answers.filter((_) => _.refused === null).length, 4)
    assert.deepStrictEqual(new Set(answers.map((_) => _.refused)), new Set([null, "one"]))
  }).pipe(Effect.provide(Workers.layer(2, program)), Effect.scoped)
)

it.live("a thread that ends is replaced, and its resources are released", () => {
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
  return Effect.gen(function* () {
    const { metrics, url } = yield* started()
    const before = yield* get(url)
    yield* Effect.ignore(Effect.tryPromise(() => request(`${url}/crash`)))
    // The other one goes on meanwhile.
    yield* eventually(Effect.flatMap(metrics, (_) => (_.length === 1 ? Effect.void : Effect.fail(_))))
    yield* eventually(Effect.flatMap(metrics, (_) => (_.length === 2 ? Effect.void : Effect.fail(_))))
    assert.isNull(before.refused)
    assert.lengthOf(lines, 1, lines.join("\n"))
    assert.include(lines[0], "a thread of the planes ended, and is replaced: Error: a bug of this thread")
    const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => get(url))
    const held = (yield* metrics).map((_) => Number(_.trim().split(" ")[1]))
    assert.isAtLeast(answers.filter((_) => _.refused === null).length, 3)
    assert.strictEqual(
      held.reduce((all, _) => all + _, 0),
      10
    )
  }).pipe(Effect.provide(Workers.layer(2, program)), Effect.provide(logger), Effect.scoped)
})

it.live("a thread with a blocked event loop is replaced", () => {
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
  return Effect.gen(function* () {
    const { url } = yield* started()
    yield* Effect.forkChild(Effect.ignore(Effect.tryPromise(() => request(`${url}/hang`))))
    yield* eventually(Effect.suspend(() => (lines.length === 1 ? Effect.void : Effect.fail("not replaced"))))
    assert.include(lines[0], "a thread of the planes ended, and is replaced: it did not answer any more")
    yield* eventually(Effect.timeout(get(url), "1 second"))
  }).pipe(Effect.provide(Workers.layer(1, program, Duration.seconds(1))), Effect.provide(logger), Effect.scoped)
})

it.live("a thread that cannot start fails the start", () =>
  Effect.gen(function* () {
    const failure = yield* Effect.flip(started({ FAILS: "yes" }))
    assert.strictEqual(failure.message, "A thread of the planes did not start: it cannot start.")
  }).pipe(Effect.provide(Workers.layer(2, program)), Effect.scoped)
)

it.live("a taken port cannot be reserved", () =>
  Effect.gen(function* () {
    const { url } = yield* started()
    const { message } = yield* Effect.flip(reservedPort("127.0.0.1", Number(new URL(url).port)))
    assert.include(message, "EADDRINUSE")
  }).pipe(Effect.provide(Workers.layer(1, program)), Effect.scoped)
)
