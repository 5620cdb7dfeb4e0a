import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { until } from "@portico/testing/clock"
import { Context, Effect, Layer } from "effect"
import { createServer, type ServerResponse } from "node:http"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"

/** A service that answers at once, except what is `held`. */
export class Slow extends Context.Service<
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

/** A gateway whose dns is the slow service, with few places there. */
export const stage = (queueSeconds: string) =>
  Cast.layer.pipe(
    Layer.provideMerge(
      TestGateway.layerOf(
        Effect.gen(function* () {
          return {
            ...gatewaySettings((yield* Server).url),
            IAAS_DNS_URL: `${(yield* Slow).url}/v2`,
            PROXY_CALLS_PER_SERVICE: "4",
            PROXY_QUEUE_SECONDS: queueSeconds
          }
        })
      )
    ),
    Layer.provideMerge(Slow.layer),
    Layer.provideMerge(TestGateway.cloud)
  )

export const get = Effect.fnUntraced(function* (path: string, token: string) {
  return yield* (yield* TestGateway).call("customer", "GET", path, { token })
})

/** Waits until the dns has so many of its kind. */
export const metric = (name: string, value: string) =>
  until(
    Effect.map(
      Effect.flatMap(TestGateway, ({ call }) => call("operator", "GET", "/metrics")),
      ({ text }) => new RegExp(`^portico_${name}\\{[^}]*system="dns"[^}]*\\} (\\d+)`, "m").exec(text)?.[1] === value
    )
  )

/** As many calls as one tenant has places, which the service holds. */
export const heldCalls = Effect.fnUntraced(function* (token: string) {
  const slow = yield* Slow
  const held = yield* Effect.forkChild(
    Effect.all(
      Array.from({ length: 3 }, () => get("/v1/iaas/dns/held", token)),
      { concurrency: 3 }
    )
  )
  yield* until(Effect.sync(() => slow.held() === 3))
  return held
})
