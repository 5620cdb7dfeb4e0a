import type { Listener } from "@portico/gateway/Listener"
import { assert, it } from "@effect/vitest"
import { settle } from "@portico/testing/clock"
import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { type RawClient, rawClient } from "../harness/RawClient.ts"
import { closed } from "./exchanged.ts"
import { listening } from "./listening.ts"

const connected = (server: Listener) =>
  Effect.callback<number>((resume) => {
    server.getConnections((_, count) => resume(Effect.succeed(count)))
  })

/** The request has reached the server, and nothing more happens to it. */
const arrived = Effect.fnUntraced(function* (server: Listener, client: RawClient) {
  yield* settle
  assert.isAtLeast(yield* connected(server), 1)
  assert.strictEqual(client.text(), "")
})

/** As the router adds it: for all kinds of requests at once. */
const handle = (server: Listener) => {
  const seen: Array<string> = []
  const handler = ({ url = "" }: IncomingMessage, to: ServerResponse) => {
    seen.push(url)
    to.end(`answer to ${url}`)
  }
  server.on("request", handler)
  server.on("checkContinue", (from, to) => {
    to.writeContinue()
    handler(from, to)
  })
  return seen
}

const head = "Host: portico\r\n"

it.effect("requests before their handler are answered when it is ready, in order", () =>
  Effect.gen(function* () {
    const { server, url } = yield* listening()
    const client = yield* rawClient(url)
    yield* client.send(`GET /first HTTP/1.1\r\n${head}\r\nGET /second HTTP/1.1\r\n${head}\r\n`)
    const patient = yield* rawClient(url)
    yield* patient.send(`POST /third HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 0\r\n\r\n`)
    const gone = yield* rawClient(url)
    yield* gone.send(`GET /gone HTTP/1.1\r\n${head}\r\n`)
    yield* arrived(server, client)
    gone.hangUp(1)
    yield* closed(gone)
    const seen = handle(server)
    yield* client.has("answer to /second")
    yield* patient.has("answer to /third")
    assert.deepStrictEqual(
      seen.filter((_) => _ !== "/gone"),
      ["/first", "/second", "/third"]
    )
    assert.include(patient.text(), "HTTP/1.1 100 Continue")
    yield* client.send(`GET /later HTTP/1.1\r\n${head}\r\n`)
    yield* client.has("answer to /later")
  }).pipe(Effect.scoped)
)

it.effect("a server that stops before its handler is ready answers the waiting requests", () =>
  Effect.gen(function* () {
    const { server, url } = yield* listening()
    const client = yield* rawClient(url)
    yield* client.send(`GET /first HTTP/1.1\r\n${head}\r\n`)
    yield* arrived(server, client)
    server.close()
    yield* closed(client)
    assert.match(client.text(), /^HTTP\/1\.1 503 /)
    assert.include(client.text(), "Connection: close")
    assert.include(client.text(), '"code":"stopping"')
  }).pipe(Effect.scoped)
)

it.effect("a request after the handler was removed gets 503 stopping", () =>
  Effect.gen(function* () {
    const { server, url } = yield* listening()
    const seen = handle(server)
    const client = yield* rawClient(url)
    yield* client.send(`GET /first HTTP/1.1\r\n${head}\r\n`)
    yield* client.has("answer to /first")
    server.close()
    server.removeAllListeners("request")
    yield* client.send(`GET /late HTTP/1.1\r\n${head}\r\n`)
    yield* closed(client)
    assert.include(client.text(), '"code":"stopping"')
    assert.deepStrictEqual(seen, ["/first"])
  }).pipe(Effect.scoped)
)
