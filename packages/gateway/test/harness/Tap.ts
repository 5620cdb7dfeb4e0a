import { gatewaySettings } from "@portico/simulator/settings"
import { Server } from "@portico/simulator/Server"
import { Context, Effect, Layer } from "effect"
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

/** A request as it reached an upstream. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly rawHeaders: ReadonlyArray<string>
}

const isLogin = ({ url = "" }: IncomingMessage): boolean => /\/auth\/tokens$|\/oauth\/v2\//.test(url)

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
    /** What becomes of the JSON that the cloud answers from now on, logins aside; without a change it passes. */
    change(change?: (json: string) => string): Effect.Effect<void>
  }
>()("portico/gateway/test/Tap") {
  static readonly layer = Layer.effect(
    Tap,
    Effect.gen(function* () {
      const cloud = new URL((yield* Server).url)
      const seen: Array<Seen> = []
      const agent = new Agent({ keepAlive: true })
      let script: Script = (_, to) => void to.end()
      let change: ((json: string) => string) | undefined

      const pass: Script = (from, to) => {
        const { headers, method, url } = from
        const onward = request({ agent, host: cloud.hostname, port: cloud.port, method, path: url, headers })
        onward.on("response", (answer) => {
          const status = answer.statusCode ?? 0
          const isJson = answer.headers["content-type"]?.includes("json") === true
          if (change !== undefined && isJson && !isLogin(from)) {
            const changed = change
            void text(answer).then((_) => to.writeHead(status, { "content-type": "application/json" }).end(changed(_)))
            return
          }
          to.writeHead(status, answer.rawHeaders)
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
        script: (_) => Effect.sync(() => void (script = _)),
        change: (_) => Effect.sync(() => void (change = _))
      })
    })
  )

  /** The simulated cloud behind the tap, with the odd service for dns. */
  static readonly settings = Effect.map(Tap, ({ url }) => ({
    ...gatewaySettings(url),
    IAAS_DNS_URL: `${url}/odd/v2`
  }))
}
