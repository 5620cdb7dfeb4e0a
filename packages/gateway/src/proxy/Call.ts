import type { Caller } from "@portico/contract/Access"
import type { IncomingHttpHeaders } from "node:http"
import type { PlatformCall } from "./rules/Rule.ts"

/** A call on its way to the platform. Costly and seldom needed parts are computed on demand. */
export class Call implements PlatformCall {
  readonly method: string
  readonly service: string
  readonly segments: ReadonlyArray<string>
  readonly headers: IncomingHttpHeaders
  readonly read: PlatformCall["read"]
  readonly #caller: Caller
  readonly #query: string | undefined

  constructor(
    from: { readonly method: string; readonly headers: IncomingHttpHeaders },
    to: { readonly service: string; readonly segments: ReadonlyArray<string>; readonly query: string | undefined },
    caller: Caller,
    read: PlatformCall["read"]
  ) {
    this.method = from.method
    this.headers = from.headers
    this.service = to.service
    this.segments = to.segments
    this.read = read
    this.#caller = caller
    this.#query = to.query
  }

  /** As the client sent it, including parameters for the gateway alone. */
  get query(): URLSearchParams {
    return new URLSearchParams(this.#query)
  }

  get caller(): PlatformCall["caller"] {
    return this.#caller
  }
}
