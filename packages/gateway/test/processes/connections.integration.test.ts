import { reservedPort } from "@portico/gateway/threads/Workers"
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { writeFileSync } from "node:fs"
import { Agent, type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import { programOf } from "./bundles.ts"
import { eventually, firstLine, repository, spawned } from "./children.ts"
import { fault, login, settings, startGateway, story, temporaryDirectory } from "./harness.ts"

/** What came of a request: a status, or the code of a system's error. */
interface Outcome {
  readonly result: number | string
  /** Whether the client may use the connection again. */
  readonly open: boolean
}

/** Long after which an answer does not come any more. */
const hangs = 60_000

const asked = (url: string, agent?: Agent, headers: Readonly<Record<string, string>> = {}) =>
  Effect.callback<Outcome>((resume) => {
    const outgoing = request(url, { agent: agent ?? false, headers, timeout: hangs })
    const failed = (error: Error) =>
      resume(Effect.succeed({ result: "code" in error ? String(error.code) : error.message, open: false }))
    outgoing.on("error", failed)
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer")))
    outgoing.on("response", (answer: IncomingMessage) => {
      answer.on("error", failed)
      answer.resume().on("end", () => {
        resume(Effect.succeed({ result: answer.statusCode ?? 0, open: answer.headers.connection !== "close" }))
      })
    })
    outgoing.end()
  })

/** Clients that ask again and again on connections of their own, each until `isOver`. */
const clients = (count: number, url: string, isOver: () => boolean) =>
  Effect.forEach(
    Array.from({ length: count }),
    () => {
      const results: Array<number | string> = []
      const next = Effect.tap(asked(url), ({ result }) => Effect.sync(() => void results.push(result)))
      return Effect.as(Effect.repeat(Effect.andThen(next, Effect.sleep("5 millis")), { until: isOver }), results)
    },
    { concurrency: "unbounded" }
  )

story("every connection that a plane accepts during the start is answered", () =>
  Effect.gen(function* () {
    const ports = yield* Effect.forEach(["CUSTOMER", "OPERATOR", "AGENT"], (plane) =>
      Effect.map(Effect.orDie(reservedPort("127.0.0.1", 0)), (port) => [`${plane}_PORT`, String(port)] as const)
    )
    for (const processes of ["1", "2"]) {
      const child = yield* spawned({
        command: [process.execPath, yield* programOf("gateway")],
        settings: { ...(yield* settings), ...Object.fromEntries(ports), PORTICO_PROCESSES: processes }
      })
      let started = false
      const asking = yield* Effect.forkScoped(
        Effect.forEach(
          ports,
          ([name, port]) =>
            Effect.map(
              clients(4, `http://127.0.0.1:${port}/health/live`, () => started),
              (_) => [name, _] as const
            ),
          { concurrency: "unbounded" }
        )
      )
      yield* firstLine(child)
      started = true
      for (const [name, all] of yield* Fiber.join(asking)) {
        for (const results of all) {
          const met = [...new Set(results)]
          // The port is reserved for a moment before the threads listen.
          const refused = met.every((_) => typeof _ === "number" || ["ECONNREFUSED", "ECONNRESET"].includes(_))
          assert.isTrue(refused, `${name} with ${processes}: ${met.join(", ")}`)
          assert.include([200, 404], results.at(-1), `${name} with ${processes}: ${met.join(", ")}`)
        }
      }
      yield* child.signal("SIGTERM")
      assert.strictEqual(yield* child.ended, 0)
    }
  })
)

const faulty = { NODE_OPTIONS: `--import ${join(repository, "packages/gateway/test/threads/programs/faulty.mjs")}` }

story("every connection that a thread's successor accepts is answered", () =>
  Effect.gen(function* () {
    const gateway = yield* startGateway({ ...faulty, PORTICO_PROCESSES: "2" })
    const url = `${gateway.url}/health/live`
    let over = false
    const asking = yield* Effect.forkScoped(clients(6, url, () => over))
    const listeners = () => gateway.log().split(`a thread listens on ${new URL(url).port}\n`).length - 1
    for (const round of [1, 2]) {
      assert.strictEqual(listeners(), 1 + round)
      yield* asked(url, undefined, { "x-fault": "crash" })
      yield* eventually(Effect.sync(() => assert.strictEqual(listeners(), 2 + round)))
    }
    yield* Effect.sleep("2 seconds")
    over = true
    for (const results of yield* Fiber.join(asking)) {
      const met = new Set(results)
      met.delete("ECONNRESET")
      assert.deepStrictEqual([...met], [200])
    }
    assert.strictEqual(yield* gateway.stop, 0)
  })
)

story("no request on a kept-alive connection is cut off when the process stops", () =>
  Effect.gen(function* () {
    const gateway = yield* startGateway({ STOP_KEEP_ALIVE_SECONDS: "5", RATE_LIMIT: "false" })
    const { body } = yield* gateway.onboard("Acme GmbH")
    const { credential } = body
    if (credential === undefined) return assert.fail(JSON.stringify(body))
    const token = yield* login(credential)
    yield* fault({
      service: "nova",
      method: "GET",
      path: "/**",
      when: "before",
      times: "always",
      as: { delay_ms: 300 }
    })
    const headers = { authorization: `Bearer ${token}` }
    const paths = ["/health/live", "/v1/whoami", "/v1/iaas/compute/servers", "/v1/quotas"]
    const asking = yield* Effect.forkScoped(
      Effect.forEach(
        Array.from({ length: 20 }, (_, index) => `${gateway.url}${paths[index % paths.length]}`),
        (url, index) => {
          const agent = new Agent({ keepAlive: true, maxSockets: 1 })
          const pause = Effect.sleep(`${(index % 5) * 50} millis`)
          return Effect.repeat(Effect.tap(asked(url, agent, headers), pause), { until: ({ open }) => !open })
        },
        { concurrency: "unbounded" }
      )
    )
    yield* Effect.sleep("2 seconds")
    const exit = yield* gateway.stop
    const last = yield* Fiber.join(asking)
    assert.deepStrictEqual(
      last.map(({ result }) => result),
      last.map(() => 200)
    )
    assert.strictEqual(exit, 0)
  })
)

story("a blocked thread gets no new connections, and its share again when it recovers", () =>
  Effect.gen(function* () {
    const unblocked = join(yield* temporaryDirectory, "unblocked")
    const gateway = yield* startGateway({
      ...faulty,
      PORTICO_PROCESSES: "2",
      CUSTOMER_HOST: "0.0.0.0",
      UNBLOCKED: unblocked
    })
    const url = `http://127.0.0.1:${new URL(gateway.url).port}/health/live`
    const says = (text: string) => eventually(Effect.sync(() => assert.include(gateway.log(), text)))
    const statuses = Effect.map(
      Effect.forEach(
        Array.from({ length: 40 }, () => url),
        (_) => asked(_),
        { concurrency: 8 }
      ),
      (all) => new Set(all.map(({ result }) => result))
    )
    const blocking = yield* Effect.forkScoped(asked(url, undefined, { "x-fault": "block" }))
    yield* says("a thread of the planes is blocked: the others take its new connections")
    assert.deepStrictEqual(yield* statuses, new Set([200]))
    // Half of them would have waited for it.
    assert.isUndefined(blocking.pollUnsafe())
    writeFileSync(unblocked, "")
    assert.strictEqual((yield* Fiber.join(blocking)).result, 200)
    yield* says("the threads of the planes take their own connections again")
    assert.deepStrictEqual(yield* statuses, new Set([200]))
    assert.strictEqual(yield* gateway.stop, 0)
  })
)
