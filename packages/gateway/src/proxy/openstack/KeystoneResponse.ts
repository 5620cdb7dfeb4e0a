import type { Failure } from "@portico/contract/Failures"
import { Effect, Redacted } from "effect"
import { STATUS_CODES } from "node:http"
import { rendered } from "../../middleware/respond.ts"
import { type Exchange, ownHeaders, sendJson } from "../Exchange.ts"

/** An answer that the gateway gives in Keystone's place. */
export interface KeystoneResponse {
  readonly status: number
  readonly body: unknown
  /** The value of `X-Subject-Token`. An answer with a token must not be cached. */
  readonly token?: Redacted.Redacted
}

export const sent = (exchange: Exchange, { body, status, token }: KeystoneResponse): Effect.Effect<void> =>
  Effect.sync(() => {
    const headers = ["Vary", "X-Auth-Token"]
    if (token !== undefined) headers.push("X-Subject-Token", Redacted.value(token), "Cache-Control", "no-store")
    sendJson(exchange.to, status, [...headers, ...ownHeaders(exchange)], body)
  })

/**
 * Renders a failure for stock clients. They look for a message in an object, some only in the first object of the
 * body, so Keystone's `error` precedes the contract's `detail` and `code`.
 */
export const renderedForClients = (failure: Failure) =>
  Effect.map(rendered(failure), ({ body, status }) => {
    const title = STATUS_CODES[status] ?? ""
    const message = typeof failure.detail === "string" ? failure.detail : title
    return { status, body: Object.assign({ error: { code: status, message, title } }, body) }
  })
