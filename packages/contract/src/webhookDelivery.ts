import type { Event } from "./Events.ts"

// How an event is delivered to a webhook: Standard Webhooks 1.0.0. Sender and receivers have it in common.

const encoder = new TextEncoder()

/** Not so a setting that is missing, whatever its type says. */
const isSecret = (value: unknown): boolean => typeof value === "string" && value !== ""

const keyFrom = (bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"])

/**
 * The key is the SHA-256 of the whole secret, in hexadecimal letters. Everybody
 * can make that of an empty secret.
 */
export const keyOf = async (secret: string): Promise<CryptoKey> => {
  if (!isSecret(secret)) throw new TypeError("A secret of the webhook is missing")
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(secret)))
  return keyFrom(encoder.encode(Array.from(digest, (_) => _.toString(16).padStart(2, "0")).join("")))
}

/**
 * The key that libraries of Standard Webhooks make of a secret: the bytes behind `whsec_`. None for a secret of another
 * form, which a listener on a developer's machine may have.
 */
const libraryKeysOf = async (secret: string): Promise<ReadonlyArray<CryptoKey>> => {
  const [, text] = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?)$/.exec(secret) ?? []
  return text === undefined || text === ""
    ? []
    : [await keyFrom(Uint8Array.from(atob(text), (_) => _.codePointAt(0) ?? 0))]
}

const joined = (head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(head.length + body.length)
  all.set(head)
  all.set(body, head.length)
  return all
}

/** What is signed: the id of the event, the second of the attempt, and the body. */
export const signedBytes = (id: string, timestamp: string | number, body: Uint8Array) =>
  joined(encoder.encode(`${id}.${timestamp}.`), body)

const base64Of = (bytes: Uint8Array): string => btoa(Array.from(bytes, (_) => String.fromCodePoint(_)).join(""))

/** A new secret, in the form of the Standard Webhooks specification: 32 random bytes. */
export const freshSecret = (): string => `whsec_${base64Of(crypto.getRandomValues(new Uint8Array(32)))}`

/** The body of a delivery: the envelope, with its fields in a fixed order. */
export const bodyOf = ({ at, data, id, key, kind, project_id, topic }: Event): string =>
  JSON.stringify({ id, topic, kind, at, key, project_id, data })

/** An attempt to deliver an event. */
export interface Attempt {
  /** The event's id. */
  readonly id: string
  /** When the attempt begins, in seconds since the epoch. */
  readonly timestamp: number
  /** Signed and sent byte for byte: see {@link bodyOf}. */
  readonly body: string
}

/**
 * The headers of a delivery as the gateway sends it. Each secret signs twice: with the key of {@link keyOf}, and with the
 * key that libraries of Standard Webhooks make of it. The signatures by {@link keyOf} are first, because a receiver may
 * read the first one alone.
 */
export const headersOf = async ({ body, id, timestamp }: Attempt, secrets: ReadonlyArray<string>) => {
  const signed = signedBytes(id, timestamp, encoder.encode(body))
  const keys = [...(await Promise.all(secrets.map(keyOf))), ...(await Promise.all(secrets.map(libraryKeysOf))).flat()]
  const sign = async (key: CryptoKey) => `v1,${base64Of(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)))}`
  return {
    "content-type": "application/json",
    "user-agent": "Portico-Webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": (await Promise.all(keys.map(sign))).join(" ")
  } as const
}
