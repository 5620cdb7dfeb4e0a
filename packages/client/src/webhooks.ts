import type { Event } from "@portico/contract/Events"
import { keyOf, signedBytes } from "@portico/contract/webhookDelivery"
import { parsed } from "./failure.ts"

export { type Attempt, bodyOf, freshSecret, headersOf } from "@portico/contract/webhookDelivery"

/** Why a delivery is not to be believed. */
export type WebhookRefusal = "header_missing" | "too_old_or_new" | "signature_wrong" | "not_an_event"

/** A delivery that did not come from the gateway, or not now: answer it with a 400, and do nothing with it. */
export class WebhookError extends Error {
  override readonly name = "WebhookError"
  readonly code: WebhookRefusal

  constructor(code: WebhookRefusal, message: string) {
    super(message)
    this.code = code
  }
}

/** As a server has them: a `Headers`, or an object with names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface VerifyOptions {
  /** How far the time of the attempt may be from now, in seconds. Default 300. */
  readonly toleranceSeconds?: number | undefined
  /** Milliseconds since the epoch; default the machine's clock. */
  readonly now?: (() => number) | undefined
}

const encoder = new TextEncoder()

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof found !== "string" || found === "")
    throw new WebhookError("header_missing", `The header ${name} is missing`)
  return found
}

/** The signatures of a delivery; during a rotation there are several. */
const signaturesOf = (header: string): ReadonlyArray<Uint8Array<ArrayBuffer>> =>
  header.split(" ").flatMap((signature) => {
    const [, value] = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature) ?? []
    return value === undefined ? [] : [Uint8Array.from(atob(value), (_) => _.codePointAt(0) ?? 0)]
  })

const isEvent = (value: unknown): value is Event =>
  typeof value === "object" && value !== null && "id" in value && "topic" in value && "kind" in value

/**
 * The event of a delivery, or a {@link WebhookError}. Comparisons take the same
 * time whatever differs.
 *
 * @param payload the bytes as they came, before anything parsed them
 * @param secrets one, or during a rotation the new and the old one; none may be empty
 */
export const verify = async (
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | ReadonlyArray<string>,
  options: VerifyOptions = {}
): Promise<Event> => {
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  const signatures = signaturesOf(headerOf(headers, "webhook-signature"))
  const now = (options.now ?? (() => new Date().getTime()))() / 1000
  // Also false for a time that is no number.
  if (!(Math.abs(now - Number(timestamp)) <= (options.toleranceSeconds ?? 300))) {
    throw new WebhookError("too_old_or_new", "The delivery is not of this moment")
  }
  const body = typeof payload === "string" ? encoder.encode(payload) : payload
  const signed = signedBytes(id, timestamp, body)
  const keys = await Promise.all((typeof secrets === "string" ? [secrets] : secrets).map(keyOf))
  const fits = await Promise.all(
    keys.flatMap((key) => signatures.map((signature) => crypto.subtle.verify("HMAC", key, signature, signed)))
  )
  if (!fits.includes(true)) throw new WebhookError("signature_wrong", "No signature fits")
  const event = await parsed(new TextDecoder().decode(body))
  if (!isEvent(event)) throw new WebhookError("not_an_event", "The delivery is signed, and holds no event")
  return event
}
