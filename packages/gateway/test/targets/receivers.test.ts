import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ensured } from "@portico/gateway/start/certificates"
import { Connector } from "@portico/upstream/delivery/Connector"
import { Guard } from "@portico/upstream/delivery/Guard"
import { untrustedConnector } from "@portico/upstream/untrustedPeer"
import { ConfigProvider, Effect, FileSystem, Layer } from "effect"
import { lookup } from "node:dns"
import { createServer, type Socket } from "node:net"
import { createSecureContext, getCACertificates, setDefaultCACertificates, TLSSocket } from "node:tls"
import { Agent, request } from "undici"

const settings = { WEBHOOK_ALLOW_ADDRESSES: "127.0.0.0/8", WEBHOOK_ATTEMPT_SECONDS: "60" }

const Connecting = Connector.layer.pipe(
  Layer.provideMerge(Guard.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings))),
  Layer.merge(NodeFileSystem.layer)
)

/** A receiver whose certificate is trusted while the test runs, and does this with each request. */
const receiver = Effect.fnUntraced(function* (
  receive: (secure: TLSSocket) => void,
  {
    chain = 0,
    groups = "P-256",
    isTrusted = true
  }: { readonly chain?: number; readonly groups?: string; readonly isTrusted?: boolean } = {}
) {
  const { makeTempDirectoryScoped, readFileString } = yield* FileSystem.FileSystem
  const folder = yield* makeTempDirectoryScoped()
  const files = { ca: `${folder}/ca.pem`, cert: `${folder}/cert.pem`, key: `${folder}/key.pem` }
  yield* ensured(folder, files)
  const [ca = "", cert = "", key = ""] = yield* Effect.forEach([files.ca, files.cert, files.key], (_) =>
    readFileString(_)
  )
  const trusted = getCACertificates("default")
  yield* Effect.acquireRelease(
    Effect.sync(() => setDefaultCACertificates(isTrusted ? [...trusted, ca] : trusted)),
    () => Effect.sync(() => setDefaultCACertificates(trusted))
  )
  const secureContext = createSecureContext({
    cert: [cert, ...Array(chain).fill(ca)].join("\n"),
    key,
    ecdhCurve: groups
  })
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const secure = new TLSSocket(socket, { isServer: true, secureContext })
    secure.on("error", () => {})
    secure.once("data", () => receive(secure))
  })
  yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const url = `https://127.0.0.1:${port}/`
  const posted = Effect.flatMap(Connector, (_) => _.post(url, { headers: {}, body: "{}" }))
  return { ca, url, posted, refusal: Effect.map(Effect.flip(posted), (_) => _.why) }
})

const noContent = (secure: TLSSocket) => void secure.write("HTTP/1.1 204 No Content\r\n\r\n")

describe("a receiver over TLS", () => {
  it.live("is delivered to, also where its answer goes on without end or its connection ends with it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* (yield* receiver(noContent)).posted, 204)
      const closing = yield* receiver((secure) => void secure.end("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"))
      assert.strictEqual(yield* closing.posted, 200)
      const endless = yield* receiver((secure) => {
        secure.write("HTTP/1.1 200 OK\r\n\r\n")
        const more = () => {
          while (!secure.destroyed && secure.write("x".repeat(64 * 1024)));
        }
        secure.on("drain", more)
        more()
      })
      assert.strictEqual(yield* endless.posted, 200)
    }).pipe(Effect.scoped, Effect.provide(Connecting))
  )

  it.live("is refused for a long chain of certificates, and for a key exchange over a finite field", () =>
    Effect.gen(function* () {
      const long = yield* receiver(noContent, { chain: 60 })
      assert.strictEqual(yield* long.refusal, "its certificates are too many or too large")
      assert.strictEqual(yield* (yield* receiver(noContent, { chain: 5 })).posted, 204)
      const finite = yield* receiver(noContent, { groups: "ffdhe2048" })
      assert.strictEqual(yield* finite.refusal, "it speaks no TLS that can be agreed on")
    }).pipe(Effect.scoped, Effect.provide(Connecting))
  )

  it.live("is accepted by the authority that is named for it, and not without", () =>
    Effect.gen(function* () {
      const { ca, refusal, url } = yield* receiver(noContent, { isTrusted: false })
      assert.strictEqual(yield* refusal, "its certificate is not accepted")
      const context = yield* Effect.context()
      const connect = untrustedConnector({ ca, context, lookup, timeout: 60_000, answerBytes: 64 * 1024 })
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ allowH2: false, connect })),
        (_) => Effect.promise(() => _.destroy())
      )
      const answer = yield* Effect.promise(() => request(url, { dispatcher: agent, method: "POST", body: "{}" }))
      assert.strictEqual(answer.statusCode, 204)
    }).pipe(Effect.scoped, Effect.provide(Connecting))
  )
})
