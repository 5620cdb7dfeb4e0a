import type { Answer, Incoming } from "../Wire.ts"
import { oauthError } from "./errors.ts"

/** The form of an OAuth request; empty without a form content type. */
export const formOf = ({ body, headers }: Incoming): URLSearchParams =>
  new URLSearchParams(
    headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true
      ? new TextDecoder().decode(body)
      : ""
  )

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * RFC 6749 section 2.3.1: both parts of the pair are form-encoded before they are joined, so each must decode. A
 * client that omits this step fails here because of its `@`, `:` or `%`.
 */
const formDecode = (text: string): string | undefined =>
  /^(?:[\w.~!'()*+-]|%[0-9a-f]{2})*$/i.test(text) ? (new URLSearchParams(`text=${text}`).get("text") ?? "") : undefined

/** The client's credentials: by Basic, or by the form without such a header. */
export const credentialsOf = (incoming: Incoming): Credentials | undefined => {
  const [scheme = "", encoded = ""] = (incoming.headers["authorization"] ?? "").split(" ")
  if (scheme === "") {
    const form = formOf(incoming)
    const clientId = form.get("client_id")
    return clientId === null ? undefined : { clientId, clientSecret: form.get("client_secret") ?? "" }
  }
  const pair = Buffer.from(encoded, "base64").toString()
  const colon = pair.indexOf(":")
  if (scheme.toLowerCase() !== "basic" || colon < 0) return undefined
  const clientId = formDecode(pair.slice(0, colon))
  const clientSecret = formDecode(pair.slice(colon + 1))
  return clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret }
}

export const invalidClient = (): Answer => oauthError("invalid_client", "client authentication failed")
