import type { OperatorApi } from "@portico/contract/Api"
import { type ClientOptions, engineOf } from "./engine/engine.ts"
import { routesOf } from "./engine/routes.ts"
import { operate } from "./operate.ts"
import { customerOperations } from "./operations/customer.ts"
import { operatorOperations } from "./operations/operator.ts"
import { addressOf } from "./request.ts"
import type { ClientOf } from "./types.ts"

/** The operations of the operator plane, and a `fetch` for every other path of the gateway. */
export type PorticoOperator = ClientOf<typeof OperatorApi> & {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
}

/** A client of the operator plane, on the administrative address. */
export function createOperatorClient(options: ClientOptions): PorticoOperator
export function createOperatorClient(options: ClientOptions): object {
  const routes = routesOf({ ...customerOperations, ...operatorOperations })
  const engine = engineOf(options, routes)
  return {
    ...operate(engine, routes),
    fetch: async (path: string, init?: RequestInit) => engine.fetch(addressOf(engine, path), init)
  }
}
