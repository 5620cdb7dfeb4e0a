import { Redacted } from "effect"

/**
 * The `Authorization` header of a client. Both parts are form-encoded before
 * they are joined (RFC 6749, section 2.3.1).
 */
export const basic = (clientId: string, clientSecret: Redacted.Redacted): string =>
  `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(Redacted.value(clientSecret))}`).toString("base64")}`

const formEncoded = (text: string): string => new URLSearchParams({ _: text }).toString().slice("_=".length)
