import { PorticoError } from "@portico/client/PorticoError"
import { createOperatorClient } from "@portico/client/operator"
import { assert, describe, it } from "@effect/vitest"
import { until } from "@portico/testing/clock"
import { ConfigProvider, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { faultyServer } from "../../../client/test/FaultyServer.ts"
import { fakeTime } from "../../../client/test/fakeTime.ts"
import { CliFailure } from "../../src/CliFailure.ts"
import type { Portico } from "../../src/Portico.ts"
import { Screen, Sides } from "../../src/Screen.ts"
import { Session } from "../../src/Session.ts"
import { widthOf } from "../../src/output/width.ts"
import { elapsed } from "../../src/waiting/elapsed.ts"
import { progress } from "../../src/waiting/progress.ts"
import { lookAt, waitFor } from "../../src/waiting/waitFor.ts"

const orders = { engine: "postgres", name: "orders" }
const database = (status: string, more: object = {}) => ({ status: 200, body: { ...orders, status, ...more } })

const erased = "\r\u001b[2K"

/** What stays on the terminal: of each line, what was written after it was erased last. */
const seen = (text: string) =>
  text.split("\n").map((line) => (line.includes(erased) ? line.slice(line.lastIndexOf(erased) + erased.length) : line))

interface Given {
  readonly columns?: number
  readonly quiet?: boolean
}

/** Standard error with each of its writes apart. */
const screen = ({ columns, quiet = false }: Given) => {
  const written: Array<string> = []
  const side = {
    isTerminal: columns !== undefined,
    columns: () => columns ?? 80,
    colors: false,
    write: (text: string) => Effect.sync(() => void written.push(text))
  }
  const layer = Screen.layer({ quiet }).pipe(
    Layer.provide(Layer.succeed(Sides, { out: side, err: side, canAsk: false })),
    Layer.provide(Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ LANG: "C.UTF-8" })))
  )
  return { written, layer }
}

const failureOf = (cause: unknown): PorticoError =>
  cause instanceof PorticoError ? cause : new PorticoError("unreachable", { detail: String(cause), status: 0 })

/** A session with the server, in a time of its own in which pauses pass at once. */
const sessionAt = (url: string, time = fakeTime().time) => {
  const client = createOperatorClient({ url, token: "t", time })
  const use: Portico["use"] = (call) => Effect.tryPromise({ try: (signal) => call(client, signal), catch: failureOf })
  const portico: Portico = {
    url,
    use,
    stream: () => assert.fail(),
    call: () => assert.fail(),
    rows: () => assert.fail()
  }
  return Layer.succeed(Session, {
    connect: Effect.succeed(portico),
    plane: Effect.undefined,
    profile: Effect.undefined,
    variable: Effect.undefined,
    token: Effect.succeed("t"),
    tokens: Effect.succeed({ current: Effect.succeed("t"), replaced: Effect.succeed }),
    signIn: Effect.succeed("log in")
  })
}

const serverOf = (...replies: Parameters<typeof faultyServer>) =>
  Effect.acquireRelease(
    Effect.promise(() => faultyServer(...replies)),
    (server) => Effect.promise(() => server[Symbol.asyncDispose]())
  )

describe("waiting for long work", () => {
  it.effect("prints one plain line a change without a terminal, and returns the result", () =>
    Effect.gen(function* () {
      const { url } = yield* serverOf(
        database("pending"),
        database("pending"),
        database("provisioning", { reason: "1 of 3 instances" }),
        database("ready")
      )
      const { layer, written } = screen({})
      const made = yield* waitFor("databases.create", orders).pipe(Effect.provide([layer, sessionAt(url)]))
      assert.deepInclude(made, { status: "ready" })
      assert.deepStrictEqual(written, [
        "postgres/orders: pending\n",
        "postgres/orders: provisioning: 1 of 3 instances\n",
        "postgres/orders: ready\n"
      ])
    })
  )

  it.effect("redraws one line on a terminal, cut to the window, and erases it", () =>
    Effect.gen(function* () {
      const { url } = yield* serverOf(database("pending"), database("provisioning"), database("ready"))
      const { layer, written } = screen({ columns: 32 })
      yield* waitFor("databases.create", orders).pipe(Effect.provide([layer, sessionAt(url)]))
      assert.deepStrictEqual(seen(written.join("")), [""])
      for (const piece of written)
        assert.isTrue(piece.startsWith(erased) && widthOf(piece.slice(erased.length)) < 32, JSON.stringify(piece))
      assert.match(written.join(""), /\S 0s postgres\/orders - provisi…/)
      assert.strictEqual(written.at(-1), erased)
    })
  )

  it.effect("reports a failure apart from a time-out, and says how to look", () =>
    Effect.gen(function* () {
      const failing = yield* serverOf(database("failing", { reason: "no room" }))
      const { layer } = screen({ quiet: true })
      const failed = yield* waitFor("databases.create", orders, { what: "Database 'orders'" }).pipe(
        Effect.provide([layer, sessionAt(failing.url)]),
        Effect.flip
      )
      const hint = "See how far it is with: portico databases show postgres orders"
      assert.deepInclude(failed, {
        exit: "platform",
        message: "Database 'orders' failed: status is 'failing': no room",
        hint
      })
      const slow = yield* serverOf(
        (response) => void response.writeHead(200).end(JSON.stringify({ status: "pending" }))
      )
      const late = yield* waitFor("databases.create", orders, { timeout: "1 minute" }).pipe(
        Effect.provide([layer, sessionAt(slow.url)]),
        Effect.flip
      )
      assert.isTrue(late instanceof CliFailure)
      assert.deepInclude(late, {
        exit: "timedOut",
        message: "Not done in time: postgres/orders goes on without you",
        hint
      })
    })
  )

  it.effect("says that the work continues when it is interrupted, below the erased line", () =>
    Effect.gen(function* () {
      const { url } = yield* serverOf(
        (response) => void response.writeHead(200).end(JSON.stringify({ status: "pending" }))
      )
      const { layer, written } = screen({ columns: 80 })
      const time = { now: () => 0, random: () => 0, sleep: () => new Promise<void>(() => {}) }
      const fiber = yield* waitFor("databases.create", orders).pipe(
        Effect.provide([layer, sessionAt(url, time)]),
        Effect.forkChild
      )
      yield* until(Effect.sync(() => written.some((_) => _.includes("pending"))))
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
      assert.deepStrictEqual(written.slice(-2), [
        "\r\u001b[2K",
        "postgres/orders goes on without you.\nSee how far it is with: portico databases show postgres orders\n"
      ])
    })
  )

  it("names the command of each operation, quoted for a shell", () => {
    assert.strictEqual(lookAt("dns.createZone", { zone_id: "z 1;'x" }), `portico dns show-zone "z 1;'x"`)
    assert.strictEqual(lookAt("projects.remove", { project_id: "p1" }), "portico projects show p1")
  })
})

describe("progress", () => {
  const steps = Effect.fnUntraced(function* (given: Given) {
    const { layer, written } = screen(given)
    yield* progress("Tenant 'acme'", ({ now, step }) =>
      Effect.gen(function* () {
        yield* step("project", "running")
        yield* TestClock.adjust("3 seconds")
        yield* step("project", "done")
        yield* step("project", "done")
        yield* step("network", "running")
        yield* now("subnet\u202e")
        yield* step("network", "failed", "no room")
      })
    ).pipe(Effect.provide(layer))
    return written
  })

  it.effect("keeps finished steps as lines, and the running one below", () =>
    Effect.gen(function* () {
      const text = (yield* steps({ columns: 80 })).join("")
      assert.include(text, "✓ project 3s\n")
      assert.include(text, "✗ network: no room 0s\n")
      assert.match(text, /\S 3s Tenant 'acme' - step 2: network - subnet\\u202e/)
      assert.strictEqual(text.match(/✓/g)?.length, 1)
      assert.deepStrictEqual(seen(text), ["✓ project 3s", "✗ network: no room 0s", ""])
    })
  )

  it.effect("is a line a change without a terminal, and nothing with --quiet", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* steps({}), [
        "project: running\n",
        "project: done\n",
        "network: running\n",
        "Tenant 'acme': subnet\\u202e\n",
        "network: failed: no room\n"
      ])
      assert.deepStrictEqual(yield* steps({ quiet: true, columns: 80 }), [])
    })
  )

  it("has times of a constant format", () => {
    assert.deepStrictEqual([0, 59_999, 60_000, 125_000, 3_840_000].map(elapsed), [
      "0s",
      "59s",
      "1m 00s",
      "2m 05s",
      "1h 04m"
    ])
  })
})
