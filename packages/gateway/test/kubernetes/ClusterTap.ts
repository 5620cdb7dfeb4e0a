import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { succeedInTime } from "@portico/testing/clock"
import { Clock, Context, Effect, Layer } from "effect"
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Cast, operator } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { type Plane, TestGateway } from "../harness/TestGateway.ts"

/** A request as it reached the API server. */
export interface Seen {
  readonly method: string
  /** Below the API server's own address. */
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly rawHeaders: ReadonlyArray<string>
}

type Answer = (from: IncomingMessage, to: ServerResponse) => void
/** It may let a request pass. */
type Script = (from: IncomingMessage, to: ServerResponse, pass: Answer) => void
type UpgradeScript = (from: IncomingMessage, socket: Duplex, head: Buffer) => void

const mount = "/kubernetes"

/**
 * Stands between the gateway and the simulated Kubernetes API, notes what
 * passes, and answers itself what a test has scripted.
 */
export class ClusterTap extends Context.Service<
  ClusterTap,
  {
    readonly url: string
    /** Of the tenants' and administrators' own, since the last {@link forget}: what the gateway asks for itself is not in it. */
    readonly seen: Effect.Effect<ReadonlyArray<Seen>>
    /** What the gateway asked for itself. */
    readonly own: Effect.Effect<ReadonlyArray<Seen>>
    readonly forget: Effect.Effect<void>
    /** How requests on behalf of somebody are answered from now on; without one they pass. */
    script(script?: Script): Effect.Effect<void>
    scriptUpgrade(script?: UpgradeScript): Effect.Effect<void>
    /** Resets every connection from the gateway, as a server does that dies. */
    readonly breakOff: Effect.Effect<void>
    /** How many connections from the gateway are open; settles when it does. */
    readonly connections: Effect.Effect<number>
  }
>()("portico/gateway/test/ClusterTap") {
  static readonly layer = Layer.effect(
    ClusterTap,
    Effect.gen(function* () {
      const cloud = new URL((yield* Server).url)
      const seen: Array<Seen> = []
      const agent = new Agent({ keepAlive: true })
      const sockets = new Set<Socket>()
      let script: Script | undefined
      let upgradeScript: UpgradeScript | undefined

      const note = ({ headers, method = "", rawHeaders, url = "" }: IncomingMessage) =>
        void seen.push({ method, url: url.slice(mount.length), headers, rawHeaders })

      const pass: Answer = (from, to) => {
        const { method, rawHeaders, url } = from
        const to2 = request({ agent, host: cloud.hostname, port: cloud.port, method, path: url, headers: rawHeaders })
        to2.on("response", (answer) => {
          to.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
          to.flushHeaders()
          answer.pipe(to)
        })
        to2.on("error", () => from.socket.destroy())
        to.once("close", () => to2.destroy())
        from.pipe(to2)
      }

      const passUpgrade: UpgradeScript = ({ method, rawHeaders, url }, socket, head) => {
        const onward = connect(Number(cloud.port), cloud.hostname)
        const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []))
        onward.write(`${method} ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
        onward.write(head)
        onward.pipe(socket)
        socket.pipe(onward)
        for (const [one, other] of [
          [onward, socket],
          [socket, onward]
        ] as const) {
          one.on("error", () => other.destroy())
          one.on("close", () => other.destroy())
        }
      }

      const isOnBehalf = (_: Pick<IncomingMessage, "headers">) => "impersonate-user" in _.headers
      const server = createServer((from, to) => {
        note(from)
        ;(isOnBehalf(from) && script !== undefined ? script : pass)(from, to, pass)
      })
      server.on("upgrade", (from, socket, head) => {
        note(from)
        socket.on("error", () => {})
        ;(upgradeScript ?? passUpgrade)(from, socket, head)
      })
      server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        socket.once("close", () => sockets.delete(socket))
      })
      server.keepAliveTimeout = 120_000
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () =>
          Effect.callback<void>((resume) => {
            server.close(() => resume(Effect.void))
            for (const socket of sockets) socket.destroy()
            agent.destroy()
          })
      )
      return ClusterTap.of({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${mount}`,
        seen: Effect.sync(() => seen.filter(isOnBehalf)),
        own: Effect.sync(() => seen.filter((_) => !isOnBehalf(_))),
        forget: Effect.sync(() => void (seen.length = 0)),
        script: (_) => Effect.sync(() => void (script = _)),
        scriptUpgrade: (_) => Effect.sync(() => void (upgradeScript = _)),
        breakOff: Effect.sync(() => {
          for (const socket of sockets) socket.resetAndDestroy()
        }),
        connections: Effect.sync(() => sockets.size)
      })
    })
  )

  /** The simulated cloud, with the tap in front of its cluster. */
  static readonly settings = Effect.gen(function* () {
    return { ...gatewaySettings((yield* Server).url), KUBERNETES_URL: (yield* ClusterTap).url }
  })
}

/** A gateway with further settings behind a tap at the cluster, and everybody who may call. */
export const clusteredWith = (settings: Readonly<Record<string, string>>) =>
  Cast.layer.pipe(
    Layer.provideMerge(TestGateway.layerOf(Effect.map(ClusterTap.settings, (_) => ({ ..._, ...settings })))),
    Layer.provideMerge(ClusterTap.layer),
    Layer.provideMerge(TestGateway.cloud)
  )

export const Clustered = clusteredWith({})

/** Where the bearer of the token calls: administrators have no powers on the customer plane. */
export const planeOf = (token: string | undefined): Plane => (token === operator ? "operator" : "customer")

/** One call to the cluster, by acme's tier 2 unless somebody else is named. */
export const cluster = Effect.fnUntraced(function* (method: string, path: string, asked: Asked = {}) {
  const { acme } = yield* Cast
  return yield* (yield* TestGateway).call(planeOf(asked.token), method, `/v1/kubernetes${path}`, {
    token: acme.tokens[2],
    ...asked
  })
})

/** The path of acme's own namespace. */
export const home = Effect.map(Cast, ({ acme }) => `/api/v1/namespaces/db-${acme.projectId}`)

/** A failure of the gateway in the API server's form. */
export const failed = (status: number, reason: string | undefined, code: string, detail: string) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: detail,
  ...(reason === undefined ? {} : { reason }),
  details: { causes: [{ reason: code, message: detail }] },
  code: status,
  detail
})

/** Goes on once the effect succeeds: sockets get on meanwhile, and so does the test's clock, by 50 ms at a time. */
export const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>) => succeedInTime(effect, "50 millis")

/** A pod that runs. The cluster takes a moment to start one, which is over at once here. */
export const runningPod = Effect.fnUntraced(function* (name: string) {
  const pods = `${yield* home}/pods`
  const spec = { containers: [{ name: "main", image: "busybox" }] }
  const made = yield* cluster("POST", pods, { body: { apiVersion: "v1", kind: "Pod", metadata: { name }, spec } })
  if (made.status !== 201) return yield* Effect.die(made.text)
  const { timers } = (yield* SimulatedCloud).world.kubernetes
  const at = yield* Clock.currentTimeMillis
  for (const [uid, timer] of Object.entries(timers)) timers[uid] = { ...timer, at }
  return `${pods}/${name}`
})
