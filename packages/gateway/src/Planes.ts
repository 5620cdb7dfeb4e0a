import { NodeHttpServer } from "@effect/platform-node"
import { Config, Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
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
  maxParamLength: 8192
}

/** Open requests get this long to end when the process stops. */
const gracefulShutdownTimeout = "20 seconds"

const listener = (host: Config.Config<string>, port: Config.Config<number>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      return NodeHttpServer.layer(createServer, { host: yield* host, port: yield* port, gracefulShutdownTimeout })
    })
  )

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
    listener(
      Config.String("CUSTOMER_HOST").pipe(Config.withDefault("127.0.0.1")),
      Config.Int("CUSTOMER_PORT").pipe(Config.withDefault(8080))
    )
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
    listener(
      Config.String("OPERATOR_HOST").pipe(Config.withDefault("127.0.0.1")),
      Config.Int("OPERATOR_PORT").pipe(Config.withDefault(8081))
    )
  )
)
