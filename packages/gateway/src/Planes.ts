import { NodeHttpServer } from "@effect/platform-node"
import { CustomerApi, OperatorApi } from "@portico/contract/Api"
import type { Plane } from "@portico/domain/health/readiness"
import { baseOf } from "@portico/upstream/webAddress"
import { Config, Context, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { certificateOf, type CertificateSettings } from "./Certificate.ts"
import { connectionLimits, connectionsOf } from "./connections/settings.ts"
import { cannotListen, Port } from "./launch.ts"
import { Listener } from "./Listener.ts"
import { type Requests, requestsOf } from "./observability/Requests.ts"
import { Proxies } from "./proxy/Proxies.ts"
import { CustomerRoutes, OperatorRoutes } from "./Routes.ts"

/** Where a plane listens. */
export interface Address {
  readonly url: string
}

export class CustomerAddress extends Context.Service<CustomerAddress, Address>()("portico/gateway/CustomerAddress") {}
export class OperatorAddress extends Context.Service<OperatorAddress, Address>()("portico/gateway/OperatorAddress") {}

/**
 * Each route has one spelling: no doubled slashes, no case folding. Ids may be long, because the operation itself
 * answers 404 for an unknown one.
 */
const routerConfig = {
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  caseSensitive: true,
  maxParamLength: 16_384
}

/** Drain timeout: time that open requests get when the process stops. */
const gracefulShutdownTimeout = "20 seconds"

const listener = (
  plane: Plane,
  names: {
    readonly host: string
    readonly port: string
    readonly publicUrl: string
    readonly tls: CertificateSettings
  },
  defaultPort: number,
  requestMetrics: Effect.Effect<Requests>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const proxies = yield* Proxies
      const requests = yield* requestMetrics
      const publicUrl = yield* Config.option(Config.URL(names.publicUrl))
      const host = yield* Config.String(names.host).pipe(Config.withDefault("127.0.0.1"))
      const port = yield* Config.schema(Port, names.port).pipe(Config.withDefault(defaultPort))
      const certificate = yield* certificateOf(names.tls)
      const connections = yield* connectionsOf(plane, yield* connectionLimits(plane))
      const server = new Listener(
        proxies,
        requests,
        { own: addressOf(publicUrl), plane },
        connections,
        certificate?.first
      )
      const renewed = Layer.effectDiscard(certificate?.watch((_) => server.renew(_)) ?? Effect.void)
      return NodeHttpServer.layer(() => server, {
        host,
        port,
        gracefulShutdownTimeout
      }).pipe(
        Layer.catchTag("ServeError", ({ cause }) =>
          cannotListen({
            host: names.host,
            port: names.port,
            who: `The ${plane} plane`,
            address: `${host}:${port}`,
            cause
          })
        ),
        Layer.merge(renewed)
      )
    })
  )

const addressOf = (url: Option.Option<URL>): string | undefined => Option.getOrUndefined(Option.map(url, baseOf))

const address = (tls: CertificateSettings) =>
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const url = HttpServer.formatAddress(address)
    const encrypted = Option.isSome(yield* Config.option(Config.String(tls.cert)))
    return { url: encrypted ? url.replace(/^http:/, "https:") : url } satisfies Address
  })

const customerTls = { cert: "CUSTOMER_TLS_CERT_FILE", key: "CUSTOMER_TLS_KEY_FILE" }
const operatorTls = { cert: "OPERATOR_TLS_CERT_FILE", key: "OPERATOR_TLS_KEY_FILE" }

/** For tenants. */
export const CustomerPlane = HttpRouter.serve(CustomerRoutes, {
  routerConfig,
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(Layer.effect(CustomerAddress, address(customerTls))),
  Layer.provide(
    listener(
      "customer",
      { host: "CUSTOMER_HOST", port: "CUSTOMER_PORT", publicUrl: "CUSTOMER_PUBLIC_URL", tls: customerTls },
      8080,
      requestsOf("customer", CustomerApi)
    )
  )
)

/** For operators. Its address is the administrative one, never the customers'. */
export const OperatorPlane = HttpRouter.serve(OperatorRoutes, {
  routerConfig,
  disableLogger: true,
  disableListenLog: true
}).pipe(
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
