import { Effect, Redacted } from "effect"
import { type Exchange, ownHeaders, sendOwn } from "../Exchange.ts"
import { openstackHeaders } from "./serviceErrors.ts"

/** An answer that the gateway gives in Keystone's place. */
export interface KeystoneResponse {
  readonly status: number
  readonly body: unknown
  /** The value of `X-Subject-Token`. */
  readonly token?: Redacted.Redacted
}

export const sent = (exchange: Exchange, { body, status, token }: KeystoneResponse): Effect.Effect<void> =>
  Effect.sync(() => {
    const headers = ["Vary", "X-Auth-Token"]
    if (token !== undefined) headers.push("X-Subject-Token", Redacted.value(token))
    sendOwn(exchange.to, { status, body }, [...headers, ...openstackHeaders(exchange), ...ownHeaders(exchange)])
  })
