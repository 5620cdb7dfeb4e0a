import { NodeFileSystem } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { certificateIn, hasOpenssl } from "../harness/Tls.ts"
import { listening } from "./listening.ts"

// The time for the head of a request is a timer of Node, which no clock of a test moves.

const head = "GET /asked HTTP/1.1\r\nHost: portico\r\n"

/** What a client sends, and what it is answered until the connection ends. */
const clients: Readonly<Record<string, readonly [sends: string, answers: RegExp]>> = {
  "no byte": ["", /^$/],
  "a part of a request line": ["GET /as", /^HTTP\/1\.1 408 /],
  "a head without its end": [head, /^HTTP\/1\.1 408 /],
  "a request, and a part of another one": [`${head}\r\nGET`, /^HTTP\/1\.1 200 .*\r\n\r\nfineHTTP\/1\.1 408 /s],
  "a request that is not answered yet, and a part of another one": [`${head.replace("asked", "slow")}\r\nGET`, /^$/]
}

const certificate = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.makeTempDirectoryScoped()
  const { cert, key } = yield* certificateIn((name) => `${directory}/${name}`)
  return yield* Effect.all({ cert: fs.readFileString(cert), key: fs.readFileString(key) })
}).pipe(Effect.provide(NodeFileSystem.layer))

const hasCertificate = await Effect.runPromise(hasOpenssl)

for (const encrypted of hasCertificate ? [false, true] : [false]) {
  it.live(`the head of a request has a time-out${encrypted ? ", within TLS too" : ""}`, () =>
    Effect.gen(function* () {
      const { server, url } = yield* listening(3_000, encrypted ? yield* certificate : undefined)
      server.on("request", (from, to) => void (from.url === "/slow" || to.end("fine")))
      const said = (sends: string) =>
        Effect.callback<string>((resume) => {
          const at = { host: "127.0.0.1", port: Number(new URL(url).port) }
          const socket = encrypted ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at)
          let text = ""
          socket.once(encrypted ? "secureConnect" : "connect", () => socket.write(sends))
          socket.on("data", (piece: Buffer) => void (text += piece.toString("latin1")))
          socket.on("error", ({ message }) => void (text += message))
          socket.once("close", () => resume(Effect.succeed(text)))
        })
      const idle = yield* Effect.forkScoped(said(`${head}\r\n`))
      yield* Effect.forEach(
        Object.entries(clients),
        ([what, [sends, answers]]) =>
          Effect.map(said(sends), (text) => {
            assert.match(text, answers, what)
            if (!text.includes("408")) return
            assert.match(text, /\r\nX-Request-Id: [0-9a-f]{32}\r\n.*\r\nConnection: close\r\n/s, what)
            const body = text.slice(text.lastIndexOf("\r\n\r\n") + 4)
            const detail = "The head of the request did not arrive within 3 seconds"
            assert.deepStrictEqual(JSON.parse(body), { detail, code: "head_too_slow" }, what)
          }),
        { concurrency: "unbounded", discard: true }
      )
      assert.isUndefined(idle.pollUnsafe(), "an idle connection stays")
    }).pipe(Effect.scoped)
  )
}
