import { NodeHttpServer } from "@effect/platform-node"
import { CustomerApi, OperatorApi } from "@portico/contract/Api"
import type { Plane } from "@portico/domain/health/readiness"
import { mcpPath } from "@portico/agent/AgentServer"
import { baseOf } from "@portico/upstream/webAddress"
import { Config, Context, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { AgentApi } from "./agent/AgentApi.ts"
import { AgentRoutes } from "./agent/AgentRoutes.ts"
import { stopDeadlines, Stopping } from "@portico/domain/health/Stopping"
import { Threads } from "@portico/domain/limits/Threads"
import { isEveryAddress, standIn } from "./threads/standIn.ts"
import { reservedPort, Workers } from "./threads/Workers.ts"
import { ListeningPlanes } from "./discovery/ListeningPlanes.ts"
import { templates } from "./agent/templates.ts"
import { ToolPlane } from "./agent/ToolPlane.ts"
import { certificateOf, type CertificateSettings } from "./Certificate.ts"
import { connectionLimits, connectionsOf } from "./connections/settings.ts"
import { cannotListen, cannotListenAs, CannotStart, Port } from "./launch.ts"
import { Listener, probeAfter } from "./Listener.ts"
import { type Requests, requestsOf } from "./observability/Requests.ts"
import { Proxies } from "./proxy/Proxies.ts"
import { routerConfig } from "./requests/route.ts"
import { CustomerRoutes, OperatorRoutes } from "./Routes.ts"

/** Where a plane listens. */
export interface Address {
  readonly url: string
}

export class CustomerAddress extends Context.Service<CustomerAddress, Address>()("portico/gateway/CustomerAddress") {}
export class OperatorAddress extends Context.Service<OperatorAddress, Address>()("portico/gateway/OperatorAddress") {}
/** Of the MCP endpoint. */
export class AgentAddress extends Context.Service<AgentAddress, Address>()("portico/gateway/AgentAddress") {}

const serveOptions = { routerConfig, disableLogger: true, disableListenLog: true }

/** Drain timeout: time that open requests get when the process stops. */
const gracefulShutdownTimeout = "20 seconds"

/** The settings of a plane. */
interface Names {
  readonly host: string
  readonly port: string
  readonly publicUrl: string
  readonly tls: CertificateSettings
}

const bound = (names: Names, defaultPort: number) =>
  Config.all({
    host: Config.String(names.host).pipe(Config.withDefault("127.0.0.1")),
    port: Config.schema(Port, names.port).pipe(Config.withDefault(defaultPort))
  })

const listener = (plane: Plane, names: Names, defaultPort: number, requestMetrics: Effect.Effect<Requests>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      // The agent plane has no catch-all routes: agents reach the proxies by their tools.
      const proxies = plane === "agent" ? undefined : yield* Proxies
      const requests = yield* requestMetrics
      const publicUrl = yield* Config.option(Config.URL(names.publicUrl))
      const { host, port } = yield* bound(names, defaultPort)
      const certificate = yield* certificateOf(names.tls)
      const connections = yield* connectionsOf(plane, yield* connectionLimits(plane))
      const options = { own: Option.getOrUndefined(Option.map(publicUrl, baseOf)), plane }
      const server = new Listener(proxies, requests, options, connections, certificate?.first)
      // Below the server, which does not end before its handlers.
      yield* Effect.forkScoped(answersLate(server))
      const renewed = Layer.effectDiscard(certificate?.watch((_) => server.renew(_)) ?? Effect.void)
      // Threads listen side by side; the kernel gives each connection to one of them.
      const reusePort = plane === "customer" && (yield* Threads) !== undefined
      if (reusePort && isEveryAddress(host)) yield* standIn(server, { port, keepAliveDelay: probeAfter })
      return NodeHttpServer.layer(() => server, { host, port, reusePort, gracefulShutdownTimeout }).pipe(
        Layer.catchTag("ServeError", ({ cause }) =>
          cannotListen({ ...names, who: `The ${plane} plane`, address: `${host}:${port}`, cause })
        ),
        Layer.merge(renewed)
      )
    })
  )

/** Answers, in a stop, for handlers that undo something for so long that the process ends before they do. */
const answersLate = Effect.fnUntraced(function* (server: Listener) {
  const { begun, left } = yield* Stopping
  yield* begun
  yield* Effect.sleep(left(stopDeadlines.answers))
  server.answerUnanswered()
})

const address = (tls: CertificateSettings) =>
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const url = HttpServer.formatAddress(address)
    const encrypted = Option.isSome(yield* Config.option(Config.String(tls.cert)))
    return { url: encrypted ? url.replace(/^http:/, "https:") : url } satisfies Address
  })

const customerPort = 8080
const agentPort = 8082

const customerTls = { cert: "CUSTOMER_TLS_CERT_FILE", key: "CUSTOMER_TLS_KEY_FILE" }
const operatorTls = { cert: "OPERATOR_TLS_CERT_FILE", key: "OPERATOR_TLS_KEY_FILE" }

const agentTls = { cert: "AGENT_TLS_CERT_FILE", key: "AGENT_TLS_KEY_FILE" }

const customerNames = {
  host: "CUSTOMER_HOST",
  port: "CUSTOMER_PORT",
  publicUrl: "CUSTOMER_PUBLIC_URL",
  tls: customerTls
}
const agentNames = { host: "AGENT_HOST", port: "AGENT_PORT", publicUrl: "AGENT_PUBLIC_URL", tls: agentTls }

/** For tenants. */
export const CustomerPlane = HttpRouter.serve(CustomerRoutes, serveOptions).pipe(
  Layer.provideMerge(
    Layer.effect(
      CustomerAddress,
      Effect.gen(function* () {
        const planes = yield* ListeningPlanes
        const found = yield* address(customerTls)
        planes.listens("customer", found.url)
        return found
      })
    )
  ),
  Layer.provide(listener("customer", customerNames, customerPort, requestsOf("customer", CustomerApi)))
)

/** For operators. Its address is the administrative one, never the customers'. */
export const OperatorPlane = HttpRouter.serve(OperatorRoutes, serveOptions).pipe(
  Layer.provideMerge(Layer.effect(OperatorAddress, address(operatorTls))),
  Layer.provide(
    listener(
      "operator",
      { host: "OPERATOR_HOST", port: "OPERATOR_PORT", publicUrl: "OPERATOR_PUBLIC_URL", tls: operatorTls },
      8081,
      requestsOf("operator", OperatorApi)
    )
  )
)

/** For agents, which speak MCP. Their tools call the customers' API, so it is built above the customer plane. */
export const AgentPlane = HttpRouter.serve(AgentRoutes, serveOptions).pipe(
  Layer.provideMerge(
    Layer.effect(
      AgentAddress,
      Effect.gen(function* () {
        const planes = yield* ListeningPlanes
        const url = `${(yield* address(agentTls)).url}${mcpPath}`
        planes.listens("agent", url)
        return { url } satisfies Address
      })
    )
  ),
  Layer.provide(Layer.fresh(ToolPlane)),
  Layer.provide(listener("agent", agentNames, agentPort, requestsOf("agent", AgentApi, templates)))
)

/** The planes of customers and of agents, served by threads. */
export const WorkerPlanes = Layer.effectContext(
  Effect.gen(function* () {
    const workers = yield* Workers
    const planes = yield* ListeningPlanes
    const found = yield* workers.start({
      [customerNames.port]: yield* reserved("customer", customerNames, customerPort),
      [agentNames.port]: yield* reserved("agent", agentNames, agentPort)
    })
    const { agent: agentUrl, customer } = found
    if (agentUrl === null) return yield* new CannotStart({ message: "The agent plane listens in no thread." })
    planes.listens("customer", customer)
    planes.listens("agent", agentUrl)
    return Context.make(CustomerAddress, { url: customer }).pipe(Context.add(AgentAddress, { url: agentUrl }))
  })
)

/** The port of a plane as its setting says it, or a free one. */
const reserved = Effect.fnUntraced(function* (plane: Plane, names: Names, defaultPort: number) {
  const { host, port } = yield* bound(names, defaultPort)
  return yield* reservedPort(host, port).pipe(
    Effect.map(String),
    Effect.mapError((cause) =>
      cannotListenAs({ ...names, who: `The ${plane} plane`, address: `${host}:${port}`, cause })
    )
  )
})
