import { assert, layer } from "@effect/vitest"
import { longestHead } from "@portico/upstream/Trust"
import { Effect } from "effect"
import type { Socket } from "node:net"
import { bearer, Loner } from "../harness/Loner.ts"
import { rawClient } from "../harness/RawClient.ts"
import { RawUpstream } from "../harness/RawUpstream.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { Tap } from "../harness/Tap.ts"
import { turn } from "@portico/testing/clock"
import { odd, Tapped } from "./odd.ts"

/** What the client gets when the service answers these bytes, in these pieces. */
const answered = Effect.fnUntraced(function* (method: string, pieces: ReadonlyArray<string>) {
  const upstream = yield* RawUpstream
  yield* upstream.script("/dns/odd", (socket) => void written(socket, pieces))
  const client = yield* rawClient((yield* TestGateway).url.customer)
  yield* client.send(
    `${method} /v1/iaas/dns/odd HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${bearer}\r\nConnection: close\r\n\r\n`
  )
  yield* Effect.callback<void>((resume) => void client.socket.once("close", () => resume(Effect.void)))
  const [head = "", body = ""] = client.text().split("\r\n\r\n", 2)
  const [line = "", ...headers] = head.split("\r\n")
  return { status: Number(line.split(" ")[1]), headers: headers.map((_) => _.toLowerCase()), body }
})

/** Each piece is read before the next one is sent. */
const written = async (socket: Socket, [piece, ...rest]: ReadonlyArray<string>): Promise<void> => {
  if (piece === undefined) return void socket.end()
  socket.write(piece, "latin1")
  for (let turns = 0; turns < 20; turns++) await Effect.runPromise(turn)
  return written(socket, rest)
}

const [unasked, fine] = [
  "HTTP/1.1 100 Continue\r\n\r\n",
  "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfine"
]
const quoting = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"

const interim: Readonly<Record<string, ReadonlyArray<string>>> = {
  "in a piece of its own": [unasked, fine],
  "in one piece with the answer": [`${unasked}${fine}`],
  "byte by byte": [...unasked, fine],
  "cut in its status": ["HTTP/1.1 10", `0 Continue\r\n\r\n${fine}`],
  "with headers": ["HTTP/1.1 100 Continue\r\nServer: a\r\nX-Long: HTTP/1.1 100 \r\n\r\n", fine],
  "without words, after an empty line": ["\r\nHTTP/1.1 100 \r\n\r\n", fine],
  "three times": [unasked, unasked, `${unasked}${fine}`],
  "among others": ["HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", unasked, "HTTP/1.1 102 Processing\r\n\r\n", fine]
}

layer(Loner(), { excludeTestServices: true })("the head of a service's answer", (it) => {
  for (const [how, pieces] of Object.entries(interim)) {
    it.effect(`may follow an unrequested 100: ${how}`, () =>
      Effect.gen(function* () {
        const { body, status } = yield* answered("GET", pieces)
        assert.deepStrictEqual([status, body], [200, "fine"])
      })
    )
  }

  it.effect("follows a 100 that came alone, which is not part of a body", () =>
    Effect.gen(function* () {
      const head = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Quotes: HTTP/1.1 100\r\nConnection: close\r\nContent-Length: ${quoting.length}\r\n\r\n`
      for (const pieces of [[unasked, head, quoting], [`${unasked}${head}${quoting}`], [head, quoting]]) {
        const upstream = yield* RawUpstream
        yield* upstream.script("/dns/odd", (socket) => void written(socket, pieces))
        const { call } = yield* TestGateway
        const answer = yield* call("customer", "GET", "/v1/iaas/dns/odd", { token: bearer })
        assert.deepStrictEqual([answer.status, answer.text], [200, quoting])
        assert.strictEqual(answer.headers["x-quotes"], "HTTP/1.1 100")
      }
    })
  )

  const json = "Content-Type: application/json\r\n"
  const lengths: ReadonlyArray<readonly [of: string, method: string, head: string, kept: boolean]> = [
    ["204", "GET", "HTTP/1.1 204 No Content\r\n", false],
    ["204 to a DELETE", "DELETE", "HTTP/1.1 204 No Content\r\n", false],
    ["204 to a HEAD", "HEAD", "HTTP/1.1 204 No Content\r\n", false],
    ["204 with a type", "GET", `HTTP/1.1 204 No Content\r\n${json}`, false],
    ["304", "GET", "HTTP/1.1 304 Not Modified\r\n", false],
    ["304 with a type", "GET", `HTTP/1.1 304 Not Modified\r\n${json}`, false],
    ["HEAD of what the gateway may change", "HEAD", `HTTP/1.1 200 OK\r\n${json}`, false],
    ["HEAD of what passes as it is", "HEAD", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n", true],
    ["HEAD of what is not there", "HEAD", "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n", true]
  ]
  for (const [of, method, head, kept] of lengths) {
    it.effect(`of a ${of} ${kept ? "keeps" : "loses"} its content length without content`, () =>
      Effect.gen(function* () {
        const { body, headers, status } = yield* answered(method, [
          `${head}Content-Length: 14\r\nConnection: close\r\nX-Last: 1\r\n\r\n`
        ])
        assert.deepStrictEqual([status, body], [Number(head.split(" ")[1]), ""])
        assert.include(headers, "x-last: 1")
        assert.deepStrictEqual(
          headers.filter((_) => /^(content-length|transfer-encoding):/.test(_)),
          kept ? ["content-length: 14"] : []
        )
      })
    )
  }

  for (const [heads, expected] of [
    [16, 200],
    [17, 502]
  ] as const) {
    it.effect(`after ${heads} interim ones is a ${expected}`, () =>
      Effect.gen(function* () {
        const { status } = yield* answered("GET", [`${unasked.repeat(heads)}${fine}`])
        assert.strictEqual(status, expected)
      })
    )
  }

  it.effect("may have up to 64 KiB", () =>
    Effect.gen(function* () {
      const long = `X-Long: ${"x".repeat(longestHead - 100)}\r\n`
      const { headers, status } = yield* answered("GET", [`HTTP/1.1 200 OK\r\n${long}${fine.slice(17)}`])
      assert.strictEqual(status, 200)
      assert.include(headers, long.trimEnd().toLowerCase())
    })
  )
})

layer(Tapped)("a connection to a service", (it) => {
  it.effect("is reused after an unrequested 100", () =>
    Effect.gen(function* () {
      const tap = yield* Tap
      const ports = new Set<number | undefined>()
      yield* tap.script((from, to) => {
        ports.add(from.socket.remotePort)
        to.writeContinue()
        to.end(`after ${from.method}`)
      })
      for (const method of ["GET", "POST", "GET"]) {
        const { status, text } = yield* odd(method, "/recordsets")
        assert.deepStrictEqual([status, text], [200, `after ${method}`])
      }
      assert.strictEqual(ports.size, 1)
    })
  )
})
