import { Result } from "effect"
import { randomUUID } from "node:crypto"
import { type JsonObject, numberAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { repr } from "../python.ts"
import { issue, schemaViolation } from "./answers.ts"
import type { BarbicanState, Secret } from "./state.ts"

/** `max_allowed_secret_in_bytes`, measured on the payload as the request has it. */
const maxSecret = 20_000

export const tooBig = (operation: string, bytes: number): Step<void> =>
  bytes > maxSecret ? issue(413, operation, "Provided information too large to process") : Result.void

const textTypes = ["text/plain", "text/plain;charset=utf-8", "text/plain; charset=utf-8"]
const binaryTypes = ["application/octet-stream", "application/pkcs8"]

export const isTextType = (type: string): boolean => textTypes.includes(type.toLowerCase())
export const isBinaryType = (type: string): boolean => binaryTypes.includes(type.toLowerCase())
const isSupported = (type: string): boolean => isTextType(type) || isBinaryType(type)

const secretTypes = ["symmetric", "passphrase", "private", "public", "certificate", "opaque"]

/** The text properties with their maximum lengths. */
const texts: Readonly<Record<string, number>> = {
  name: 255,
  algorithm: 255,
  mode: 255,
  expiration: 255,
  payload: Infinity,
  secret_type: 80,
  payload_content_type: 255,
  payload_content_encoding: 255
}

const nullable = new Set(["name", "payload_content_type"])

const wellTyped = (operation: string, schema: string, given: JsonObject): Step<void> => {
  for (const [key, most] of Object.entries(texts)) {
    const value = given[key]
    if (value === undefined || (value === null && nullable.has(key))) continue
    if (typeof value !== "string") return schemaViolation(schema, `${repr(value)} is not of type 'string'`, key)
    if (value.length > most) return schemaViolation(schema, `'${value}' is too long`, key)
  }
  const bits = given["bit_length"]
  const goodBits = typeof bits === "number" && Number.isInteger(bits) && bits >= 1 && bits <= 32767
  if (bits !== undefined && !goodBits) return schemaViolation(schema, wrongBits(bits), "bit_length")
  const type = given["secret_type"] ?? "opaque"
  return secretTypes.some((_) => _ === type)
    ? Result.void
    : schemaViolation(schema, `${repr(type)} is not one of ${repr(secretTypes)}`, "secret_type")
}

const wrongBits = (bits: unknown): string => {
  if (typeof bits !== "number" || !Number.isInteger(bits)) return `${repr(bits)} is not of type 'integer'`
  return bits < 1 ? `${bits} is less than the minimum of 1` : `${bits} is greater than the maximum of 32767`
}

const expirationOf = (operation: string, schema: string, given: JsonObject, now: number): Step<number | null> => {
  const text = stringAt(given, "expiration")?.trim() ?? ""
  if (text === "") return Result.succeed(null)
  const at = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)
  if (Number.isNaN(at)) return schemaViolation(schema, "Invalid date for 'expiration'", "expiration")
  return at > now ? Result.succeed(at) : schemaViolation(schema, "'expiration' is before current time", "expiration")
}

interface Payload {
  readonly payload: string | null
  readonly content_type: string | null
}

const base64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/

/** Text has no encoding; bytes must be in base64. */
const payloadOf = (operation: string, given: JsonObject): Step<Payload> =>
  Result.gen(function* () {
    const wrong = (reason: string, property: string) => schemaViolation("Secret", reason, property)
    const type = stringAt(given, "payload_content_type")
    const payload = stringAt(given, "payload")
    if (payload === undefined) {
      if (!("payload_content_type" in given)) return { payload: null, content_type: null }
      return yield* wrong("payload must be provided when payload_content_type is specified", "payload")
    }
    if (type === undefined) {
      const reason = "If 'payload' is supplied, 'payload_content_type' must also be supplied."
      return yield* wrong(reason, "payload_content_type")
    }
    if (!isSupported(type)) {
      const supported = [...textTypes, ...binaryTypes]
      return yield* wrong(`payload_content_type is not one of ${repr(supported)}`, "payload_content_type")
    }
    const encoding = stringAt(given, "payload_content_encoding")
    if (encoding !== (isTextType(type) ? undefined : "base64")) {
      const supported = isTextType(type) ? "None" : "['base64']"
      return yield* wrong(`payload_content_encoding is not one of ${supported}`, "payload_content_encoding")
    }
    yield* tooBig(operation, Buffer.byteLength(payload))
    if (payload.trim() === "") return yield* wrong("If 'payload' specified, must be non empty", "payload")
    if (encoding !== undefined && !base64.test(payload)) {
      return yield* wrong("Invalid payload for payload_content_encoding", "payload")
    }
    const bytes = Buffer.from(payload.trim(), encoding === undefined ? "utf8" : "base64")
    return { payload: bytes.toString("base64"), content_type: type }
  })

interface Made {
  readonly project_id: string
  readonly creator_id: string
}

/** A validated secret from a request's body. */
export const newSecret = (operation: string, given: JsonObject, now: number, made: Made): Step<Secret> =>
  Result.gen(function* () {
    yield* wellTyped(operation, "Secret", given)
    const expiration = yield* expirationOf(operation, "Secret", given, now)
    const payload = yield* payloadOf(operation, given)
    return secretOf({ ...described(given), expiration, ...payload }, now, made)
  })

/** The secret that an order describes: the same validation, without a payload. */
export const orderedSecret = (operation: string, meta: JsonObject, now: number): Step<Described> =>
  Result.gen(function* () {
    yield* wellTyped(operation, "Secret' within 'Order", meta)
    return { ...described(meta), expiration: yield* expirationOf(operation, "Secret' within 'Order", meta, now) }
  })

type Described = Pick<Secret, "name" | "secret_type" | "algorithm" | "bit_length" | "mode" | "expiration">

const described = (given: JsonObject): Omit<Described, "expiration"> => ({
  name: stringAt(given, "name")?.trim() ?? null,
  secret_type: stringAt(given, "secret_type") ?? "opaque",
  algorithm: stringAt(given, "algorithm") ?? null,
  bit_length: numberAt(given, "bit_length") ?? null,
  mode: stringAt(given, "mode") ?? null
})

export const secretOf = (given: Described & Payload, now: number, { creator_id, project_id }: Made): Secret => ({
  ...given,
  project_id,
  creator_id,
  id: randomUUID(),
  created: now,
  updated: now,
  metadata: {},
  acl: null,
  consumers: []
})

/** Secrets that have not expired. */
export const liveSecrets = ({ secrets }: BarbicanState, now: number): Readonly<Record<string, Secret>> =>
  Object.fromEntries(Object.entries(secrets).filter(([, _]) => _.expiration === null || _.expiration > now))
