import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { rawClient } from "../harness/RawClient.ts"
import { closed } from "./exchanged.ts"
import { listening } from "./listening.ts"

const requests = (count: number, round = 1) =>
  Array.from({ length: count }, (_, n) => `GET /${round}.${n} HTTP/1.1\r\nHost: portico\r\n\r\n`).join("")

const answering = Effect.gen(function* () {
  const { server, url } = yield* listening()
  const seen: Array<string> = []
  server.on("request", ({ url = "" }: IncomingMessage, to: ServerResponse) => {
    seen.push(url)
    to.end(`answer to ${url}.`)
  })
  return { seen, url }
})

it.effect("a client that pipelines up to 16 requests gets all answers, again and again", () =>
  Effect.gen(function* () {
    const { seen, url } = yield* answering
    const client = yield* rawClient(url)
    for (let round = 1; round <= 3; round++) {
      yield* client.send(requests(16, round))
      yield* client.has(`answer to /${round}.15.`)
    }
    assert.lengthOf(seen, 48)
  }).pipe(Effect.scoped)
)

it.effect("a client that pipelines more is disconnected, and its remaining requests are not begun", () =>
  Effect.gen(function* () {
    const { seen, url } = yield* answering
    const client = yield* rawClient(url)
    yield* client.send(requests(1_000))
    yield* Effect.raceFirst(closed(client), client.has("answer to /1.999."))
    assert.isAtMost(seen.length, 16)
    const another = yield* rawClient(url)
    yield* another.send(requests(1))
    yield* another.has("answer to /1.0.")
  }).pipe(Effect.scoped)
)
