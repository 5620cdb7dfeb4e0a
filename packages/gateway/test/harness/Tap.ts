import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { Context, Effect, Layer } from "effect"
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request as it reached an upstream. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly rawHeaders: ReadonlyArray<string>
}

type Script = (from: IncomingMessage, to: ServerResponse) => void

/**
 * Stands between the gateway and the simulated cloud, and notes what passes.
 * Below `/odd` it is a service of its own, which does what a test scripts:
 * the gateway under test takes it for the dns service.
 */
export class Tap extends Context.Service<
  Tap,
  {
    readonly url: string
    /** Since the last {@link forget}, in the order of arrival. */
    readonly seen: Effect.Effect<ReadonlyArray<Seen>>
    readonly forget: Effect.Effect<void>
    /** How the odd service answers from now on. */
    script(script: Script): Effect.Effect<void>
  }
>()("portico/gateway/test/Tap") {
  static readonly layer = Layer.effect(
    Tap,
    Effect.gen(function* () {
      const cloud = new URL((yield* Server).url)
      const seen: Array<Seen> = []
      const agent = new Agent({ keepAlive: true })
      let script: Script = (_, to) => void to.end()

      const pass: Script = (from, to) => {
        const { headers, method, url } = from
        const onward = request({ agent, host: cloud.hostname, port: cloud.port, method, path: url, headers })
        onward.on("response", (answer) => {
          to.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
          answer.pipe(to)
        })
        onward.on("error", () => from.socket.resetAndDestroy())
        from.pipe(onward)
      }

      const server = createServer((from, to) => {
        seen.push({
          method: from.method ?? "",
          url: from.url ?? "",
          headers: from.headers,
          rawHeaders: from.rawHeaders
        })
        if (from.url?.startsWith("/odd/")) script(from, to)
        else pass(from, to)
      })
      server.keepAliveTimeout = 120_000
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () =>
          Effect.callback<void>((resume) => {
            server.close(() => resume(Effect.void))
            server.closeAllConnections()
            agent.destroy()
          })
      )
      return Tap.of({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        seen: Effect.sync(() => [...seen]),
        forget: Effect.sync(() => void (seen.length = 0)),
        script: (_) => Effect.sync(() => void (script = _))
      })
    })
  )

  /** The simulated cloud behind the tap, with the odd service for dns. */
  static readonly settings = Effect.map(Tap, ({ url }) => ({
    ...gatewaySettings(url),
    IAAS_DNS_URL: `${url}/odd/v2`
  }))
}
