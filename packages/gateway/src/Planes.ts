import { NodeHttpServer } from "@effect/platform-node"
import { Config, Context, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { cannotListen, Port } from "./launch.ts"
import { Listener } from "./Listener.ts"
import { Proxies } from "./proxy/Proxies.ts"
import { CustomerRoutes, OperatorRoutes } from "./Routes.ts"

/** Where a plane listens. */
export interface Address {
  readonly url: string
}

export class CustomerAddress extends Context.Service<CustomerAddress, Address>()("portico/gateway/CustomerAddress") {}
export class OperatorAddress extends Context.Service<OperatorAddress, Address>()("portico/gateway/OperatorAddress") {}

/** One spelling per route: no doubled slashes, no case folding; ids may be long and are answered with 404 by the operation. */
const routerConfig = {
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  caseSensitive: true,
  maxParamLength: 16_384
}

/** Open requests get this long to end when the process stops. */
const gracefulShutdownTimeout = "20 seconds"

const listener = (
  plane: string,
  names: { readonly host: string; readonly port: string; readonly publicUrl: string },
  usual: number
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const proxies = yield* Proxies
      const own = yield* Config.option(Config.URL(names.publicUrl))
      const host = yield* Config.String(names.host).pipe(Config.withDefault("127.0.0.1"))
      const port = yield* Config.schema(Port, names.port).pipe(Config.withDefault(usual))
      return NodeHttpServer.layer(() => new Listener(proxies, addressOf(own)), {
        host,
        port,
        gracefulShutdownTimeout
      }).pipe(
        Layer.catchTag("ServeError", ({ cause }) =>
          cannotListen({ ...names, who: `The ${plane} plane`, address: `${host}:${port}`, cause })
        )
      )
    })
  )

const addressOf = (url: Option.Option<URL>): string | undefined =>
  Option.getOrUndefined(Option.map(url, ({ href }) => href.replace(/\/+$/, "")))

const address = Effect.map(HttpServer.HttpServer, (server) => {
  const bound = server.address
  return { url: HttpServer.formatAddress(bound) } satisfies Address
})

/** For tenants. */
export const CustomerPlane = HttpRouter.serve(CustomerRoutes, {
  routerConfig,
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(Layer.effect(CustomerAddress, address)),
  Layer.provide(
    listener("customer", { host: "CUSTOMER_HOST", port: "CUSTOMER_PORT", publicUrl: "CUSTOMER_PUBLIC_URL" }, 8080)
  )
)

/** For operators. Its address is the administrative one, and is never the customers'. */
export const OperatorPlane = HttpRouter.serve(OperatorRoutes, {
  routerConfig,
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(Layer.effect(OperatorAddress, address)),
  Layer.provide(
    listener("operator", { host: "OPERATOR_HOST", port: "OPERATOR_PORT", publicUrl: "OPERATOR_PUBLIC_URL" }, 8081)
  )
)
