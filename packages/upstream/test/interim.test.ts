import { assert, it } from "@effect/vitest"
import * as System from "@portico/upstream/System"
import { client } from "@portico/upstream/Trust"
import { Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { createServer } from "node:net"

/** A system that answers every request with these bytes. */
const answering = (bytes: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((socket) => {
          socket.on("error", () => {})
          socket.on("data", () => void socket.write(bytes))
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    ),
    (server) => {
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    }
  )

const body = '{"ok":true}'
const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`

const answers = {
  "a 100 for which it did not ask": `HTTP/1.1 100 Continue\r\n\r\n${head}\r\n${body}`,
  "a head of nearly 64 KiB": `${head}X-Long: ${"x".repeat(65_000)}\r\n\r\n${body}`
}

for (const [what, bytes] of Object.entries(answers)) {
  it.live(`a call of the gateway itself accepts ${what}`, () =>
    Effect.gen(function* () {
      const url = yield* answering(bytes)
      const system = System.make(yield* HttpClient.HttpClient, { upstream: "dns", url, authorize: Effect.succeed })
      // The second one goes out on the same connection.
      for (const call of ["first", "second"]) {
        const answer = yield* system.write(call, HttpClientRequest.get("/zones"), Schema.Unknown)
        assert.deepStrictEqual(answer, { ok: true })
      }
    }).pipe(Effect.provide(client), Effect.scoped)
  )
}

const processing = "HTTP/1.1 102 Processing\r\n\r\n"

for (const [heads, isRead] of [
  [16, true],
  [17, false]
] as const) {
  it.live(`an answer behind ${heads} interim ones is ${isRead ? "read" : "refused"}`, () =>
    Effect.gen(function* () {
      const url = yield* answering(`${processing.repeat(heads)}${head}\r\n${body}`)
      const system = System.make(yield* HttpClient.HttpClient, { upstream: "dns", url, authorize: Effect.succeed })
      // Counted for each answer: the second one goes out on the same connection.
      for (const call of ["first", "second"]) {
        const answer = yield* Effect.exit(system.write(call, HttpClientRequest.get("/zones"), Schema.Unknown))
        assert.strictEqual(answer._tag === "Success", isRead)
      }
    }).pipe(Effect.provide(client), Effect.scoped)
  )
}
