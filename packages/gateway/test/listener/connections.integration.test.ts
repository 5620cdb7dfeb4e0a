import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Server } from "@portico/simulator/Server"
import { assert, describe, layer } from "@effect/vitest"
import { until } from "@portico/testing/clock"
import { Effect, Layer } from "effect"
import { connect } from "node:net"
import { Cast } from "../harness/Cast.ts"
import { type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import { closed, exchanged } from "./exchanged.ts"
import { rawClient } from "../harness/RawClient.ts"

// The time limits of connections are timers of Node, which no clock of a test moves.

const fewWith = (more: Readonly<Record<string, string>>) =>
  TestGateway.layerOf(
    Effect.map(Server, ({ url }) => ({
      ...gatewaySettings(url),
      CUSTOMER_CONNECTIONS: "8",
      OPERATOR_CONNECTIONS: "8",
      ANSWER_STALL_SECONDS: "2",
      ...more
    }))
  ).pipe(Layer.provideMerge(TestGateway.cloud))

const hurried = fewWith({ REQUEST_BODY_SECONDS: "2" })
const patient = Cast.layer.pipe(Layer.provideMerge(fewWith({ REQUEST_BODY_SECONDS: "3600" })))

/** 18 MB in all, which is more than the buffers between both ends hold. */
const docs = "GET /docs/explorer.js HTTP/1.1\r\nHost: a\r\n\r\n".repeat(16)
const trickled = "POST /v1/signup HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"

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

describe("connections", () => {
  layer(patient, { excludeTestServices: true })("of a plane that waits long for bodies", (it) => {
    const ask = exchanged("customer", "GET /v1/nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    const expecting = trickled.replace("Host: a", "Host: a\r\nExpect: 100-continue")

    /** So many clients whose bodies come a byte at a time, once the gateway waits for them. */
    const trickling = Effect.fnUntraced(function* (count: number, text: string) {
      const clients = yield* waiting("customer", count, text)
      for (const client of clients) {
        client.socket.resume()
        yield* client.has("100 Continue")
      }
      const timer = setInterval(() => clients.forEach(({ socket }) => socket.destroyed || socket.write(" ")), 200)
      yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(timer)))
      return clients
    })

    it.effect("with bodies that trickle are evicted, the oldest first; one with its body complete stays", () =>
      Effect.gen(function* () {
        const cloud = yield* SimulatedCloud
        yield* cloud.fault({ service: "zitadel", method: "POST", path: "/oauth/**", when: "before", as: "hang" })
        const { url } = yield* TestGateway
        const complete = yield* rawClient(url.customer)
        yield* complete.send(
          "DELETE /v1/credentials/c HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nContent-Length: 1\r\n\r\n{"
        )
        yield* until(Effect.map(cloud.calls, (_) => _.some(({ service }) => service === "zitadel")))
        const clients = yield* trickling(7, expecting)
        yield* until(Effect.map(ask, (_) => /^HTTP\/1.1 404 /.test(_)))
        const ended = clients.map(({ socket }) => socket.destroyed)
        assert.deepStrictEqual(
          ended,
          ended.toSorted((a, b) => Number(b) - Number(a)),
          "the oldest first"
        )
        assert.isFalse(complete.socket.destroyed)
        for (const { socket } of [complete, ...clients]) socket.destroy()
        yield* cloud.clearFaults
      })
    )

    it.effect("are evicted also behind an earlier answer, and where a proxied call's body is read", () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const health = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
        const proxied = expecting
          .replace("/v1/signup", "/v1/iaas/compute/servers")
          .replace("Host: a", `Host: a\r\nAuthorization: Bearer ${acme.tokens[2]}`)
        for (const text of [`${health}${expecting}`, proxied]) {
          const clients = yield* trickling(8, text)
          yield* until(Effect.map(ask, (_) => /^HTTP\/1.1 404 /.test(_)))
          for (const { socket } of clients) socket.destroy()
          yield* Effect.forEach(clients, closed)
        }
      })
    )

    it.effect("stay while a body streams to the platform, at any speed", () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const upload = expecting
          .replace("POST /v1/signup", "PUT /v1/iaas/image/images/none/file")
          .replace("application/json", "application/octet-stream")
          .replace("Host: a", `Host: a\r\nAuthorization: Bearer ${acme.tokens[2]}`)
        const [client] = yield* waiting("customer", 1, upload)
        const clients = yield* trickling(7, expecting)
        yield* until(Effect.map(ask, (_) => /^HTTP\/1.1 404 /.test(_)))
        assert.isFalse(client?.socket.destroyed)
        for (const { socket } of clients) socket.destroy()
        client?.socket.destroy()
      })
    )
  })

  layer(hurried, { excludeTestServices: true })("of a plane with a low limit", (it) => {
    it.effect("with clients that read nothing are closed, and a slow reader gets everything", () =>
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
        for (const client of silent) assert.isBelow(client.text().length, 11_000_000)
      })
    )

    for (const plane of planes) {
      it.effect(`${plane}: idle ones are evicted, and at the ceiling only /health is answered`, () =>
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

    it.effect("with a refused upgrade are closed, although the client keeps sending", () =>
      Effect.gen(function* () {
        const path = "/v1/kubernetes/api/v1/namespaces/x/pods/y/exec"
        const text = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
        const { url } = yield* TestGateway
        const { hostname, port } = new URL(url.customer)
        // A client that does not close its side when the gateway has.
        const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
        yield* Effect.callback<void>((resume) => {
          socket.once("end", () => resume(Effect.void))
          socket.resume().write(text)
        })
        const timer = setInterval(() => socket.destroyed || socket.write("x"), 200)
        yield* Effect.callback<void>((resume) => {
          socket.on("error", () => {}).once("close", () => resume(Effect.void))
        })
        clearInterval(timer)
      })
    )

    it.effect("with a request refused before its body is complete are closed", () =>
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
