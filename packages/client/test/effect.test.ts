import { assert, it } from "@effect/vitest"
import { Customer, Outgoing } from "@portico/client/effect"
import { settle, until } from "@portico/testing/clock"
import { Effect, Fiber, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { failure, faultyServer, type Reply } from "./FaultyServer.ts"

const serverOf = (...replies: readonly [Reply, ...ReadonlyArray<Reply>]) =>
  Effect.acquireRelease(
    Effect.promise(() => faultyServer(...replies)),
    (server) => Effect.promise(() => server[Symbol.asyncDispose]())
  )

/** The clock moves second by second until the work is done. */
const inTime = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(work)
  let seconds = 0
  while (fiber.pollUnsafe() === undefined && seconds < 600) {
    yield* settle
    yield* TestClock.adjust("1 second")
    seconds += 1
  }
  return { result: yield* Fiber.join(fiber), seconds }
})

const database = (status: string) => ({
  status: 200,
  body: { engine: "postgres", name: "orders", status, reason: null }
})

it.effect("interrupting a fiber aborts its request at the gateway", () =>
  Effect.gen(function* () {
    const connection = { closed: false }
    const server = yield* serverOf((response) => void response.on("close", () => (connection.closed = true)))
    const { status } = yield* Customer.make({ url: server.url, token: Redacted.make("t") })
    const fiber = yield* Effect.forkChild(status.show())
    yield* until(Effect.sync(() => server.calls.length > 0))
    yield* Fiber.interrupt(fiber)
    yield* until(Effect.sync(() => connection.closed))
    assert.strictEqual(server.calls[0]?.headers.authorization, "Bearer t")
  })
)

it.effect("pauses and waits follow the clock of the context", () =>
  Effect.gen(function* () {
    const busy = failure(503, "stopping", {}, { "retry-after": "20" })
    const server = yield* serverOf(busy, database("pending"), database("provisioning"), database("ready"))
    const portico = yield* Customer.make({ url: server.url, token: "t" })
    const seen: Array<string> = []
    const waiting = portico.wait(
      (_) => _.databases.create,
      { engine: "postgres", name: "orders" },
      {
        onProgress: (_) => void seen.push(_.status)
      }
    )
    const { result, seconds } = yield* inTime(waiting)
    assert.strictEqual(result.status, "ready")
    assert.deepStrictEqual(seen, ["pending", "provisioning", "ready"])
    assert.isAtLeast(seconds, 22)
  })
)

it.effect("a wait that fails is a failure of the effect", () =>
  Effect.gen(function* () {
    const server = yield* serverOf(database("failing"))
    const portico = yield* Customer.make({ url: server.url, token: "t" })
    const waiting = portico.wait((_) => _.databases.create, { engine: "postgres", name: "orders" })
    assert.strictEqual((yield* Effect.flip(waiting)).code, "work_failed")
  })
)

it.effect("a create has its key, and the caller's own where there is one", () =>
  Effect.gen(function* () {
    const server = yield* serverOf(failure(409, "tenant_required"))
    const portico = yield* Customer.make({ url: server.url, token: "t" })
    const natGateways = portico["nat-gateways"]
    const own = (_: HttpClientRequest.HttpClientRequest) => HttpClientRequest.setHeader(_, "idempotency-key", "mine")
    yield* Effect.flip(natGateways.create())
    yield* Effect.flip(natGateways.create()).pipe(Effect.provideService(Outgoing, own))
    assert.match(String(server.calls[0]?.headers["idempotency-key"]), /^[0-9a-f]{32}$/)
    assert.strictEqual(server.calls[1]?.headers["idempotency-key"], "mine")
  })
)
