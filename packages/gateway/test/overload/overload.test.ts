import { assert, layer } from "@effect/vitest"
import { until } from "@portico/testing/clock"
import { Effect, Fiber } from "effect"
import { Cast } from "../harness/Cast.ts"
import { rawClient } from "../harness/RawClient.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { get, heldCalls, metric, Slow, stage } from "./Slow.ts"

layer(stage("600"))("an unresponsive service", (it) => {
  it.effect("leaves a slot for other tenants and services alone, and serves the waiting call in the end", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const [token] = acme.tokens
      const held = yield* heldCalls(token)
      const waiting = yield* Effect.forkChild(get("/v1/iaas/dns/zones", token))
      yield* metric("proxy_waiting_calls", "1")

      assert.strictEqual((yield* get("/v1/iaas/dns/zones", globex.tokens[0])).text, "fine")
      assert.strictEqual((yield* get("/v1/iaas/compute/servers", token)).status, 200)

      yield* (yield* Slow).answerHeld
      assert.strictEqual((yield* Fiber.join(waiting)).text, "fine")
      assert.deepStrictEqual(
        (yield* Fiber.join(held)).map((_) => _.text),
        ["late", "late", "late"]
      )
      yield* metric("proxy_unanswered_calls", "0")
    })
  )

  it.effect("keeps no place in its queue for a disconnected client", () =>
    Effect.gen(function* () {
      const [token] = (yield* Cast).acme.tokens
      const held = yield* heldCalls(token)
      const waiting = yield* Effect.forkChild(get("/v1/iaas/dns/zones", token))
      yield* metric("proxy_waiting_calls", "1")
      waiting.interruptUnsafe()
      yield* metric("proxy_waiting_calls", "0")
      yield* (yield* Slow).answerHeld
      yield* Fiber.join(held)
    })
  )

  it.effect("uses no slot for slow bodies, with any announced length", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call, url } = yield* TestGateway
      for (const begin of ["Content-Length: 9\r\n\r\nx", "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"]) {
        for (let nth = 0; nth < 4; nth++) {
          const client = yield* Effect.acquireRelease(rawClient(url.customer), ({ socket }) =>
            Effect.sync(() => void socket.destroy())
          )
          yield* client.send(
            `PUT /v1/iaas/dns/held HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.tokens[1]}\r\n` +
              `Content-Type: application/octet-stream\r\n${begin}`
          )
        }
      }
      yield* until(
        Effect.map(call("operator", "GET", "/metrics"), (_) => /^portico_uploads(?:\{[^}]*\})? 8$/m.test(_.text))
      )
      assert.strictEqual((yield* get("/v1/iaas/dns/zones", globex.tokens[0])).text, "fine")
    }).pipe(Effect.scoped)
  )
})
