import type { CustomerApi } from "@portico/contract/Api"
import { type ClientOptions, engineOf } from "./engine/engine.ts"
import { routesOf } from "./engine/routes.ts"
import { operate } from "./operate.ts"
import { customerOperations } from "./operations/customer.ts"
import { addressOf } from "./request.ts"
import type { ClientOf } from "./types.ts"

export type { ClientOptions } from "./engine/engine.ts"
export { type ClientCode, isFailure, PorticoError } from "./PorticoError.ts"
export type { CallOptions, Received } from "./types.ts"

/** The operations of the customer plane, and a `fetch` for every other path of the gateway. */
export type Portico = ClientOf<typeof CustomerApi> & {
  /** With the token, renewals and repetitions of the client; `/openapi.json` is a path below its address. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
}

/** A client of the customer plane. */
export function createClient(options: ClientOptions): Portico
export function createClient(options: ClientOptions): object {
  const routes = routesOf(customerOperations)
  const engine = engineOf(options, routes)
  return {
    ...operate(engine, routes),
    fetch: async (path: string, init?: RequestInit) => engine.fetch(addressOf(engine, path), init)
  }
}
