import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { assert, describe, layer } from "@effect/vitest"
import { until } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import { closed, exchanged } from "./exchanged.ts"
import { rawClient } from "../harness/RawClient.ts"

// The time limits of connections are timers of Node, which no clock of a test moves.

const hurried = TestGateway.layerOf(
  Effect.map(Server, ({ url }) => ({
    ...gatewaySettings(url),
    CUSTOMER_CONNECTIONS: "8",
    OPERATOR_CONNECTIONS: "8",
    ANSWER_STALL_SECONDS: "2",
    REQUEST_BODY_SECONDS: "2"
  }))
).pipe(Layer.provideMerge(TestGateway.cloud))

/** 18 MB in all, which is more than the buffers between both ends hold. */
const docs = "GET /docs/explorer.js HTTP/1.1\r\nHost: a\r\n\r\n".repeat(24)
const trickled = "POST /v1/signup HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"

describe("connections", () => {
  layer(hurried, { excludeTestServices: true })("of a plane with few", (it) => {
    const waiting = Effect.fnUntraced(function* (plane: Plane, count: number, text: string) {
      const { url } = yield* TestGateway
      return yield* Effect.forEach(Array.from({ length: count }), () =>
        Effect.gen(function* () {
          const client = yield* rawClient(url[plane])
          client.socket.pause()
          yield* client.send(text)
          return client
        })
      )
    })

    it.effect("whose clients read nothing are closed, and a slow reader gets everything", () =>
      Effect.gen(function* () {
        const silent = yield* waiting("customer", 4, docs)
        const [slow] = yield* waiting("customer", 1, docs)
        let read = 0
        const timer = setInterval(() => {
          const piece: unknown = slow?.socket.read(256 * 1024) ?? slow?.socket.read()
          if (Buffer.isBuffer(piece)) read += piece.length
        }, 200)
        yield* Effect.sleep("7 seconds")
        clearInterval(timer)
        assert.isAbove(read, 2_000_000)
        assert.isFalse(slow?.socket.destroyed)
        slow?.socket.destroy()
        // They notice when they look.
        for (const { socket } of silent) socket.resume()
        yield* Effect.forEach(silent, closed)
        for (const client of silent) assert.isBelow(client.text().length, 14_000_000)
      })
    )

    for (const plane of planes) {
      it.effect(`${plane}: idle ones make room, and at the ceiling /health is answered and nothing else`, () =>
        Effect.gen(function* () {
          const { url } = yield* TestGateway
          const idle = yield* waiting(plane, 20, "")
          const health = `GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
          assert.match(yield* exchanged(plane, health), /^HTTP\/1.1 200 /)
          yield* until(Effect.sync(() => idle.filter((_) => _.socket.destroyed).length >= 12))
          const busy = yield* waiting(plane, 8, trickled)
          yield* Effect.sleep("100 millis")
          assert.match(yield* exchanged(plane, health), /^HTTP\/1.1 200 /)
          const refused = yield* exchanged(plane, health.replace("/health", "/v1/status"))
          assert.match(refused, /^HTTP\/1.1 503 /)
          assert.include(refused, '"code":"connections_exhausted"')
          assert.match(refused, /\r\nConnection: close\r\n/i)
          for (const { socket } of busy) socket.resume()
          // Their bodies are too slow, and then there is room again.
          yield* Effect.forEach(busy, closed)
          for (const client of busy) assert.match(client.text(), /^HTTP\/1.1 408 .*"code":"body_too_slow"/s)
          assert.match(yield* exchanged(plane, health.replace("/health", "/v1/nowhere")), /^HTTP\/1.1 404 /)
          for (const { socket } of idle) socket.destroy()
          assert.isString(url[plane])
        })
      )
    }

    it.effect("whose request is refused before its body is there are closed all the same", () =>
      Effect.gen(function* () {
        const [client] = yield* waiting("customer", 1, trickled.replace("/v1/signup", "/v1/credentials"))
        if (client === undefined) return
        client.socket.resume()
        yield* client.has("401")
        yield* Effect.timeout(closed(client), "60 seconds")
      })
    )
  })
})
