import { assert, describe, it } from "@effect/vitest"
import { Connector } from "@portico/upstream/delivery/Connector"
import { Guard, notThere } from "@portico/upstream/delivery/Guard"
import { TenantNameLookup } from "@portico/upstream/guardedLookup"
import { ConfigProvider, Effect, Layer } from "effect"
import { lookup } from "node:dns"
import { createServer, type ServerResponse } from "node:http"

const lab = { WEBHOOK_ALLOW_HTTP: "true" }
const loopback = { ...lab, WEBHOOK_ALLOW_ADDRESSES: "127.0.0.0/8, ::1" }

const guarded = (settings: Readonly<Record<string, string>>) =>
  Connector.layer.pipe(
    Layer.provideMerge(Guard.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
  )

/** A name of somebody else's that leads to this machine. */
const Rebound = Layer.succeed(TenantNameLookup, (hostname, options, found) =>
  lookup(hostname === "rebound.example" ? "127.0.0.1" : hostname, options, found)
)

const refusalOf = (url: string) => Effect.map(Guard, (_) => _.refusal(url))

/** A server on loopback, and how many connections it has had. */
const listening = (answer: (response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly seen: { connections: number }; readonly close: () => void }>(
      (resume) => {
        const seen = { connections: 0 }
        const server = createServer((request, response) => {
          request.resume()
          request.on("end", () => answer(response))
        })
        server.on("connection", () => (seen.connections += 1))
        server.listen(0, () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resume(
            Effect.succeed({
              port,
              seen,
              close: () => {
                server.close()
                server.closeAllConnections()
              }
            })
          )
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

const posted = (url: string) =>
  Effect.flatMap(Connector, (_) => _.post(url, { headers: { "content-type": "text/plain" }, body: "hello" }))

describe("addresses that a tenant chose", () => {
  it.effect("are accepted on the public internet over https alone", () =>
    Effect.gen(function* () {
      for (const url of ["https://9.9.9.9/", "https://[2620:fe::fe]:8443/x", "https://example.com/?a=b#c"]) {
        assert.isUndefined(yield* refusalOf(url), url)
      }
      assert.strictEqual(yield* refusalOf("http://9.9.9.9/"), "it must begin with https://")
      assert.strictEqual(yield* refusalOf("gopher://9.9.9.9/"), "it must begin with https://")
      assert.strictEqual(yield* refusalOf("https://a:b@9.9.9.9/"), "it must hold no user name and no password")
      assert.strictEqual(yield* refusalOf("nowhere"), "it is not an address")
      for (const host of ["127.0.0.1", "10.0.0.1", "[::1]", "[::ffff:0:169.254.169.254]", "[5f00::1]"]) {
        assert.strictEqual(yield* refusalOf(`https://${host}/`), notThere, host)
      }
    }).pipe(Effect.provide(guarded({})))
  )

  it.effect("are accepted and refused as the operator's settings say", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* refusalOf("https://10.1.2.3/"))
      assert.isUndefined(yield* refusalOf("https://[fd00::7]/"))
      assert.strictEqual(yield* refusalOf("https://10.2.0.1/"), notThere)
      assert.strictEqual(yield* refusalOf("https://9.9.9.9/"), notThere)
      assert.strictEqual(yield* refusalOf("https://[2620:fe::fe]/"), notThere)
    }).pipe(
      Effect.provide(
        guarded({
          WEBHOOK_ALLOW_ADDRESSES: "10.1.0.0/16, fd00::7",
          WEBHOOK_REFUSE_ADDRESSES: "9.9.9.0/24,2620:fe::/48"
        })
      )
    )
  )

  it.effect("an invalid list of networks stops the start", () =>
    Effect.gen(function* () {
      for (const text of ["10.0.0.0/33", "10.0.0/8", "example.com", "::/129", "10.0.0.0/8/8"]) {
        const built = yield* Effect.exit(Effect.scoped(Layer.build(guarded({ WEBHOOK_ALLOW_ADDRESSES: text }))))
        assert.strictEqual(built._tag, "Failure", text)
      }
    })
  )

  it.live("a name counts by what it resolves to, when it is written and when it is connected to", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* listening((response) => response.writeHead(204).end())
      const url = `http://rebound.example:${port}/`
      assert.isUndefined(yield* refusalOf(url), "nothing is wrong with the name")
      assert.strictEqual(yield* Effect.flatMap(Guard, (_) => _.refusalNow(url)), notThere)
      assert.strictEqual((yield* Effect.flip(posted(url))).why, notThere)
      assert.strictEqual((yield* Effect.flip(posted(`http://127.0.0.1:${port}/`))).why, notThere)
      assert.strictEqual(seen.connections, 0)
      assert.isUndefined(yield* Effect.flatMap(Guard, (_) => _.refusalNow("http://nobody.invalid/")))
      assert.strictEqual((yield* Effect.flip(posted("http://nobody.invalid/"))).why, "its name cannot be found")
    }).pipe(Effect.scoped, Effect.provide(guarded(lab).pipe(Layer.provide(Rebound))))
  )
})

describe("a call to such an address", () => {
  it.live("returns the status, follows no redirect, reads no endless body, and reuses no connection", () =>
    Effect.gen(function* () {
      let status = 200
      const { port, seen } = yield* listening((response) => {
        response.writeHead(status, { location: "/elsewhere" })
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(64 * 1024)));
        }
        response.on("drain", more)
        more()
      })
      for (status of [200, 302, 410, 500]) {
        assert.strictEqual(yield* posted(`http://127.0.0.1:${port}/`), status)
      }
      assert.strictEqual(seen.connections, 4)
    }).pipe(Effect.scoped, Effect.provide(guarded(loopback)))
  )

  it.live("fails with our own message for each cause", () =>
    Effect.gen(function* () {
      const broken = yield* listening((response) => response.destroy())
      const garbage = yield* listening((response) => response.socket?.end("what?\r\n\r\n"))
      const large = yield* listening((response) => response.writeHead(200, { "x-large": "x".repeat(60_000) }).end())
      for (const [url, why] of [
        ["http://127.0.0.1:1/", "the connection was refused"],
        [`http://127.0.0.1:${broken.port}/`, "the connection was broken off"],
        [`http://127.0.0.1:${garbage.port}/`, "the answer is not HTTP"],
        [`http://127.0.0.1:${large.port}/`, "the answer was too large"],
        [`https://127.0.0.1:${broken.port}/`, "it speaks no TLS that can be agreed on"]
      ] as const) {
        assert.strictEqual((yield* Effect.flip(posted(url))).why, why)
      }
    }).pipe(Effect.scoped, Effect.provide(guarded(loopback)))
  )

  it.live("is aborted when its caller is interrupted", () =>
    Effect.gen(function* () {
      const { port } = yield* listening(() => {})
      const given = yield* Effect.timeoutOption(posted(`http://127.0.0.1:${port}/`), "200 millis")
      assert.strictEqual(given._tag, "None")
    }).pipe(Effect.scoped, Effect.provide(guarded(loopback)))
  )
})
