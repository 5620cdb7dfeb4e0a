import { type FieldPath, redactedHeader, replayedHeader } from "@portico/contract/Idempotency"
import type { KeptAnswer } from "@portico/store/IdempotencyKeys"
import { Option, Predicate, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

/** What is told again of an answer's headers; the others are the connection's, or the request's. */
const keptHeaders: ReadonlyArray<string> = ["location", "cache-control"]

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/**
 * A success as it is kept: without its secrets. Undefined for a body that is
 * no JSON, in which nobody would find them.
 *
 * @param secrets where they are
 */
export const keptAnswer = (
  { body, headers, status }: HttpServerResponse.HttpServerResponse,
  secrets: ReadonlyArray<FieldPath>
): KeptAnswer | undefined => {
  const told = Object.fromEntries(keptHeaders.flatMap((name) => (name in headers ? [[name, headers[name] ?? ""]] : [])))
  if (body._tag === "Empty") return { status, headers: told, body: null, redacted: [] }
  const json = body._tag === "Uint8Array" ? decodeJson(Buffer.from(body.body).toString()) : Option.none()
  if (Option.isNone(json)) return undefined
  const redacted = secrets.filter((path) => redact(json.value, path)).map((_) => _.join("."))
  return { status, headers: told, body: JSON.stringify(json.value), redacted }
}

/** Puts null in the place of a secret. False when there is none. */
const redact = (value: unknown, [name, ...rest]: FieldPath): boolean => {
  if (name === undefined) return false
  if (name === "*") return Array.isArray(value) && value.map((_) => redact(_, rest)).includes(true)
  if (!isRecord(value) || !Object.hasOwn(value, name)) return false
  if (rest.length > 0) return redact(value[name], rest)
  const secret = value[name]
  value[name] = null
  return secret !== null
}

const isRecord = (value: unknown): value is Record<string, unknown> => Predicate.isObject(value)

/** The answer again, saying that it is one, and which secrets are missing. */
export const replayed = ({ body, headers, redacted, status }: KeptAnswer): HttpServerResponse.HttpServerResponse => {
  const said = {
    ...headers,
    [replayedHeader]: "true",
    ...(redacted.length === 0 ? {} : { [redactedHeader]: redacted.join(", ") })
  }
  return body === null
    ? HttpServerResponse.empty({ status, headers: said })
    : HttpServerResponse.text(body, { status, headers: said, contentType: "application/json" })
}
