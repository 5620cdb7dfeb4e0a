import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bearer, Loner } from "../harness/Loner.ts"
import { rawClient } from "../harness/RawClient.ts"
import { RawUpstream } from "../harness/RawUpstream.ts"
import { TestGateway } from "../harness/TestGateway.ts"

const bytes = Array.from({ length: 20_000 }, (_, n) => String.fromCharCode(97 + (n % 26)))
const chunked = bytes.map((_) => `1\r\n${_}\r\n`).join("")

/** The chunks that the client gets, when the service answers 20,000 chunks of one byte. */
const received = Effect.fnUntraced(function* (type: string) {
  const upstream = yield* RawUpstream
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`
  yield* upstream.script("/dns/odd", (socket) => void socket.end(`${head}${chunked}0\r\n\r\n`))
  const client = yield* rawClient((yield* TestGateway).url.customer)
  yield* client.send(
    `GET /v1/iaas/dns/odd HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${bearer}\r\nConnection: close\r\n\r\n`
  )
  yield* Effect.callback<void>((resume) => void client.socket.once("close", () => resume(Effect.void)))
  const text = client.text()
  return [...text.slice(text.indexOf("\r\n\r\n") + 4).matchAll(/([0-9a-f]+)\r\n([a-z]*)\r\n/g)].map(([, , _ = ""]) => _)
})

layer(Loner(), { excludeTestServices: true })("an answer in very many small pieces", (it) => {
  it.effect("reaches the client complete, in a few", () =>
    Effect.gen(function* () {
      const pieces = yield* received("application/octet-stream")
      assert.strictEqual(pieces.join(""), bytes.join(""))
      assert.isBelow(pieces.length, 200)
    })
  )
})
