import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Context, Effect, Fiber, Layer } from "effect"
import { createServer, type ServerResponse } from "node:http"
import { Cast } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { eventually } from "../kubernetes/ClusterTap.ts"
import { rawClient } from "../harness/RawClient.ts"

/** A service that answers at once, except what is `held`. */
class Slow extends Context.Service<
  Slow,
  { readonly url: string; readonly held: () => number; readonly answerHeld: Effect.Effect<void> }
>()("portico/gateway/test/overload/Slow") {
  static readonly layer = Layer.effect(
    Slow,
    Effect.gen(function* () {
      let held: Array<ServerResponse> = []
      const server = createServer((from, to) => {
        if (from.url?.includes("held") === true) held.push(to)
        else to.end("fine")
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () =>
          Effect.callback<void>((resume) => {
            server.close(() => resume(Effect.void))
            server.closeAllConnections()
          })
      )
      const address = server.address()
      return Slow.of({
        url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
        held: () => held.length,
        answerHeld: Effect.sync(() => {
          for (const to of held) to.end("late")
          held = []
        })
      })
    })
  )
}

const stage = (settings: Readonly<Record<string, string>>) =>
  Cast.layer.pipe(
    Layer.provideMerge(
      TestGateway.layerOf(
        Effect.gen(function* () {
          return {
            ...gatewaySettings((yield* Server).url),
            IAAS_DNS_URL: `${(yield* Slow).url}/v2`,
            ...settings
          }
        })
      )
    ),
    Layer.provideMerge(Slow.layer),
    Layer.provideMerge(TestGateway.cloud)
  )

const live = { excludeTestServices: true }

const overloaded = (who: string) => ({
  detail: `${who} has more calls than it can answer in time; nothing was done, try again in a moment`,
  code: "overloaded"
})

const get = Effect.fnUntraced(function* (path: string, token: string) {
  return yield* (yield* TestGateway).call("customer", "GET", path, { token })
})

const metric = Effect.fnUntraced(function* (pattern: RegExp, value: string) {
  const { text } = yield* (yield* TestGateway).call("operator", "GET", "/metrics")
  assert.strictEqual(pattern.exec(text)?.[1], value)
})

layer(stage({ PROXY_CALLS_PER_SERVICE: "4", PROXY_QUEUE_SECONDS: "1" }), live)(
  "a service that does not answer",
  (it) => {
    it.effect("refuses what waits too long, leaves a place for other tenants, and other services alone", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* Cast
        const slow = yield* Slow
        const [token] = acme.tokens
        const held = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 3 }, () => get("/v1/iaas/dns/held", token)),
            { concurrency: 3 }
          )
        )
        yield* eventually(Effect.sync(() => assert.strictEqual(slow.held(), 3)))
        const waiting = yield* Effect.forkChild(get("/v1/iaas/dns/zones", token))
        yield* eventually(metric(/^portico_proxy_waiting_calls\{[^}]*system="dns"[^}]*\} (\d+)/m, "1"))

        assert.strictEqual((yield* get("/v1/iaas/dns/zones", globex.tokens[0])).text, "fine")
        assert.strictEqual((yield* get("/v1/iaas/compute/servers", token)).status, 200)

        const refused = yield* Fiber.join(waiting)
        assert.strictEqual(refused.status, 503)
        assert.deepStrictEqual(jsonOf(refused), overloaded("dns"))
        assert.strictEqual(refused.headers["retry-after"], "1")
        assert.isDefined(refused.headers["ratelimit-limit"])
        yield* metric(/^portico_proxy_refused_total\{[^}]*system="dns"[^}]*\} (\d+)/m, "1")

        const served = yield* Effect.forkChild(get("/v1/iaas/dns/zones", token))
        yield* eventually(metric(/^portico_proxy_waiting_calls\{[^}]*system="dns"[^}]*\} (\d+)/m, "1"))
        yield* slow.answerHeld
        assert.strictEqual((yield* Fiber.join(served)).text, "fine")
        assert.deepStrictEqual(
          (yield* Fiber.join(held)).map((_) => _.text),
          ["late", "late", "late"]
        )
        yield* eventually(metric(/^portico_proxy_unanswered_calls\{[^}]*system="dns"[^}]*\} (\d+)/m, "0"))
      })
    )
  }
)

layer(stage({ PROXY_CALLS_PER_SERVICE: "4", PROXY_QUEUE_SECONDS: "600" }), live)("a call that waits for long", (it) => {
  it.effect("gives up its place in the queue when its client hangs up", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const slow = yield* Slow
      const [token] = acme.tokens
      const path = "/v1/iaas/dns/held"
      yield* Effect.forEach(Array.from({ length: 3 }), () => Effect.forkChild(get(path, token)))
      yield* eventually(Effect.sync(() => assert.strictEqual(slow.held(), 3)))
      const waiting = yield* Effect.forkChild(get("/v1/iaas/dns/zones", token))
      yield* eventually(metric(/^portico_proxy_waiting_calls\{[^}]*system="dns"[^}]*\} (\d+)/m, "1"))
      waiting.interruptUnsafe()
      yield* eventually(metric(/^portico_proxy_waiting_calls\{[^}]*system="dns"[^}]*\} (\d+)/m, "0"))
      yield* slow.answerHeld
    })
  )
})

layer(stage({ PROXY_CALLS_PER_SERVICE: "4", PROXY_QUEUE_SECONDS: "1" }), live)("bodies that come slowly", (it) => {
  it.effect("hold no place at a service, whatever length they announce", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { url } = yield* TestGateway
      for (const begin of ["Content-Length: 9\r\n\r\nx", "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"]) {
        for (let nth = 0; nth < 4; nth++) {
          const client = yield* Effect.acquireRelease(rawClient(url.customer), ({ socket }) =>
            Effect.sync(() => void socket.destroy())
          )
          yield* client.send(
            `PUT /v1/iaas/dns/held HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.tokens[1]}\r\n` +
              `Content-Type: application/octet-stream\r\n${begin}`
          )
        }
      }
      yield* eventually(metric(/^portico_uploads(?:\{[^}]*\})? (\d+)/m, "8"))
      assert.strictEqual((yield* get("/v1/iaas/dns/zones", globex.tokens[0])).text, "fine")
    }).pipe(Effect.scoped)
  )
})
