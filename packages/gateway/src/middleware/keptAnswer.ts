import { decodeJson } from "@portico/contract/decodeJson"
import { type FieldPath, redactedHeader, replayedHeader } from "@portico/contract/Idempotency"
import type { KeptAnswer } from "@portico/store/IdempotencyKeys"
import { Option, Predicate } from "effect"
import { HttpServerResponse } from "effect/http"

/** Headers that a replay repeats. The others belong to the connection or to the request. */
const keptHeaders: ReadonlyArray<string> = ["location", "cache-control"]

/**
 * A successful answer in its stored form, without its secrets. Undefined for a body that is not JSON, in which
 * secrets cannot be located.
 *
 * @param secrets paths of the secrets
 */
export const keptAnswer = (
  { body, headers, status }: HttpServerResponse.HttpServerResponse,
  secrets: ReadonlyArray<FieldPath>
): KeptAnswer | undefined => {
  const replayedHeaders = Object.fromEntries(
    keptHeaders.flatMap((name) => (name in headers ? [[name, headers[name] ?? ""]] : []))
  )
  if (body._tag === "Empty") return { status, headers: replayedHeaders, body: null, redacted: [] }
  const json = body._tag === "Uint8Array" ? decodeJson(Buffer.from(body.body).toString()) : Option.none()
  if (Option.isNone(json)) return undefined
  const redacted = secrets.filter((path) => redact(json.value, path)).map((_) => _.join("."))
  return { status, headers: replayedHeaders, body: JSON.stringify(json.value), redacted }
}

/** Replaces a secret by null. Returns false when there is none. */
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

/** The replayed answer. Its headers say that it is a replay, and which secrets are missing. */
export const replayed = ({ body, headers, redacted, status }: KeptAnswer): HttpServerResponse.HttpServerResponse => {
  const allHeaders = {
    ...headers,
    [replayedHeader]: "true",
    ...(redacted.length === 0 ? {} : { [redactedHeader]: redacted.join(", ") })
  }
  return body === null
    ? HttpServerResponse.empty({ status, headers: allHeaders })
    : HttpServerResponse.text(body, { status, headers: allHeaders, contentType: "application/json" })
}
