import { firstFailure, type Schema } from "../jsonSchema.ts"
import { str } from "../python.ts"
import { json, type Answer, type Incoming } from "../Wire.ts"

/** The envelope's key by status; Cinder's API layer is a fork of Nova's and has the same keys. */
const names: Readonly<Record<number, string>> = {
  400: "badRequest",
  401: "unauthorized",
  403: "forbidden",
  404: "itemNotFound",
  405: "badMethod",
  409: "conflictingRequest",
  413: "overLimit",
  415: "badMediaType",
  501: "notImplemented",
  503: "serviceUnavailable"
}

/** `{"<fault>": {"code", "message"}}`; a status without a name of its own is a computeFault. */
export const fault = (code: number, message: string): Answer => {
  const retry = code === 413 ? { retryAfter: "0" } : {}
  const headers = code === 413 ? { "retry-after": "0" } : undefined
  return json(code, { [names[code] ?? "computeFault"]: { code, message, ...retry } }, headers)
}

export const badRequest = (message: string): Answer => fault(400, message)

export const notFound = (message: string): Answer => fault(404, message)

export const policyRefuses = (rule: string): Answer => fault(403, `Policy doesn't allow ${rule} to be performed.`)

/** The message of the JSON schema validation in front of every handler. */
export const invalidField = (field: string, value: unknown, why: string): Answer =>
  badRequest(`Invalid input for field/attribute ${field}. Value: ${str(value)}. ${why}`)

/** The 400 of the schema validation of a body; undefined when the body fits. */
export const misfit = (schema: Schema, json: unknown): Answer | undefined => {
  const failure = firstFailure(schema, json)
  if (failure === undefined) return undefined
  const field = failure.path.at(-1)
  return field === undefined || failure.whole === true
    ? badRequest(failure.message)
    : invalidField(String(field), failure.value, failure.message)
}

/** The same of a query, whose parameters are lists. */
export const misfitQuery = (schema: Schema, query: URLSearchParams): Answer | undefined => {
  const failure = firstFailure(schema, Object.fromEntries([...query.keys()].map((_) => [_, query.getAll(_)])))
  if (failure === undefined) return undefined
  return failure.path.length === 0
    ? badRequest(failure.message)
    : badRequest(
        `Invalid input for query parameters ${failure.path[0]}. Value: ${str(failure.value)}. ${failure.message}`
      )
}

/** The 400 for a missing body, or a body without the required key. */
export const missing = ({ json }: Pick<Incoming, "json">, key: string): Answer =>
  badRequest(json === undefined ? "None is not of type 'object'" : `'${key}' is a required property`)

const yes = ["1", "t", "true", "on", "y", "yes"]
const no = ["0", "f", "false", "off", "n", "no"]

/** A boolean of a query, as every OpenStack service reads it; undefined for any other text. */
export const booleanOf = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase()
  return yes.includes(word) ? true : no.includes(word) ? false : undefined
}

/** The refusal of a body that is not JSON; a body without a content type is not read. */
export const unreadable = ({ body, headers, json }: Incoming): Answer | undefined => {
  const type = headers["content-type"]
  if (body.length === 0 || type === undefined) return undefined
  if (!/^application\/json\b/i.test(type)) return fault(415, "Unsupported Content-Type")
  return json === undefined ? badRequest("Malformed request body") : undefined
}
