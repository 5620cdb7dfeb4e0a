import { repr, str } from "../python.ts"
import { json, type Answer, type Incoming } from "../Wire.ts"

/** The key of the envelope by status; Cinder's API layer is a fork of Nova's and has the same names. */
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

/** The wording of the JSON schema validation in front of every handler. */
export const invalidField = (field: string, value: unknown, why: string): Answer =>
  badRequest(`Invalid input for field/attribute ${field}. Value: ${str(value)}. ${why}`)

/** The object under a key of the body is missing, or there is no body at all. */
export const missing = ({ json }: Pick<Incoming, "json">, key: string): Answer =>
  badRequest(json === undefined ? "None is not of type 'object'" : `'${key}' is a required property`)

/** A name as the schema of a create and of a change wants it. */
export const wrongName = (name: unknown): Answer | undefined => {
  if (typeof name !== "string") return invalidField("name", name, `${repr(name)} is not of type 'string'`)
  if (name === "") return invalidField("name", name, "'' is too short")
  if (name.length > 255) return invalidField("name", name, `${repr(name)} is too long`)
  return name.trim() === name
    ? undefined
    : badRequest(
        "An invalid 'name' value was provided. The name must be: printable characters. Can not start or end with whitespace."
      )
}

const yes = ["1", "t", "true", "on", "y", "yes"]
const no = ["0", "f", "false", "off", "n", "no"]

/** A boolean in a query, as every OpenStack service reads it; undefined for text that is neither. */
export const booleanOf = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase()
  return yes.includes(word) ? true : no.includes(word) ? false : undefined
}
