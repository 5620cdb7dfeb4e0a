import { Result } from "effect"
import { isUuid, type JsonObject } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { str } from "../python.ts"
import { badRequest, invalidInput } from "./errors.ts"
import { parseCidr, toText, versionOf } from "./ip.ts"
import { networkOf } from "./parsing.ts"

/** Converts a value of a body, or returns the error. */
export type Check = (value: unknown) => { readonly value: unknown } | Wrong

export interface Wrong {
  readonly wrong: string
  /** The value cannot be converted; the message then does not name the attribute. */
  readonly unconverted?: true
}

/** An entry of a resource's attribute map in the API layer. */
export interface Attribute {
  readonly check: Check
  /** The default of a create; without it a `required` attribute must be given. */
  readonly initial?: unknown
  readonly required?: boolean
  readonly post?: false
  readonly put?: false
  /** Only administrators may set it; other callers get a 403. */
  readonly admin?: true
  /** The attribute is a valid filter. */
  readonly filter?: false
}

export type Attributes = Readonly<Record<string, Attribute>>
const ok = (value: unknown) => ({ value })
const wrong = (text: string): Wrong => ({ wrong: text })
const unconverted = (text: string): Wrong => ({ wrong: text, unconverted: true })

export const text: Check = (value) =>
  typeof value !== "string"
    ? wrong(`'${str(value)}' is not a valid string`)
    : value.length > 255
      ? wrong(`'${value}' exceeds maximum length of 255`)
      : ok(value)

/** Accepts the service's strings for booleans, case-insensitively. */
export const flag: Check = (value) => {
  const known = typeof value === "boolean" || typeof value === "number" ? String(value) : value
  if (typeof known === "string" && ["true", "1"].includes(known.toLowerCase())) return ok(true)
  if (typeof known === "string" && ["false", "0"].includes(known.toLowerCase())) return ok(false)
  return unconverted(`'${str(value)}' cannot be converted to boolean`)
}

/** Accepts numeric text and booleans, and truncates a fraction. */
export const integer: Check = (value) => {
  const numeric = typeof value === "boolean" || (typeof value === "string" && /^\s*-?\d+\s*$/.test(value))
  const number = numeric ? Number(value) : value
  return typeof number === "number" ? ok(Math.trunc(number)) : unconverted(`'${str(value)}' is not an integer`)
}

/** The same, and not below 0. */
export const nonNegative: Check = (value) => {
  const checked = integer(value)
  return "value" in checked && Number(checked.value) < 0 ? wrong(`'${str(value)}' should be non-negative`) : checked
}

export const uuid: Check = (value) => (isUuid(value) ? ok(value) : wrong(`'${str(value)}' is not a valid UUID`))

export const address: Check = (value) =>
  typeof value === "string" && versionOf(value) !== undefined
    ? ok(value)
    : wrong(`'${str(value)}' is not a valid IP address`)

/** A bare address gets the length of a single address. */
export const cidr: Check = (value) => {
  const range = typeof value === "string" ? parseCidr(value) : undefined
  if (typeof value !== "string" || range === undefined) return unconverted(`${str(value)} is not in a CIDR format`)
  return ok(value.includes("/") ? value : `${value}/${range.length}`)
}

/** A network with its length. Host bits may be set, but an IPv4 network must be written as netaddr writes it. */
export const network: Check = (value) => {
  const known = typeof value === "string" && !/\s/.test(value) ? networkOf(value) : undefined
  if (typeof value !== "string" || known === undefined) return wrong(`'${str(value)}' is not a valid IP subnet`)
  if (value.includes("/") && (known.version === 6 || known.text === value)) return ok(value)
  const range = parseCidr(known.text)
  const better = range === undefined ? known.text : `${toText(range.version, range.first)}/${range.length}`
  return wrong(`'${value}' isn't a recognized IP subnet cidr, '${better}' is recommended`)
}

export const list: Check = (value) => (Array.isArray(value) ? ok(value) : wrong(`'${str(value)}' is not a list`))

export const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return wrong(`'${str(value)}' is not a list`)
    const found = value.map(check).find((_) => "wrong" in _)
    return found ?? ok(value)
  }

/** The same, where no item may be there twice. */
export const setOf =
  (check: Check): Check =>
  (value) => {
    const twice = Array.isArray(value) ? value.filter((_, at) => value.indexOf(_) < at) : []
    return twice.length > 0
      ? wrong(`Duplicate items in the list: '${twice.map(str).join(", ")}'`)
      : listOf(check)(value)
  }

export const anything: Check = ok

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? ok(null) : check(value)

export const oneOf =
  (...values: ReadonlyArray<unknown>): Check =>
  (value) =>
    // Upstream's message has the name of the list.
    values.includes(value) ? ok(value) : wrong(`${str(value)} is not in valid_values`)

/** Name and description: on everything, and free. */
export const named: Attributes = {
  name: { check: text, initial: "" },
  description: { check: text, initial: "" }
}

/** Read-only attributes that can be filtered by. */
export const readOnly: Attributes = Object.fromEntries(
  ["id", "created_at", "updated_at", "revision_number"].map((_) => [_, { check: anything, post: false, put: false }])
)

/** The project of an object, under both of its names. */
const inProject: Attributes = {
  project_id: { check: text, put: false },
  tenant_id: { check: text, put: false }
}

/** The ids of an object without timestamps and tags. */
export const ids: Attributes = { id: { check: anything, post: false, put: false }, ...inProject }

/** Attributes of every object of a project. */
export const owned: Attributes = {
  ...readOnly,
  ...inProject,
  tags: { check: list, post: false, put: false, filter: false }
}

/** The 400 for an invalid attribute. */
export const refusalOf = (name: string, { unconverted, wrong }: Wrong): Step<never> =>
  unconverted === true ? invalidInput(wrong) : badRequest(`Invalid input for ${name}. Reason: ${wrong}.`)

/** The API layer's validation of a body, which runs first. */
export const checkBody = (attributes: Attributes, body: JsonObject, method: "POST" | "PUT"): Step<JsonObject> => {
  const unknown = Object.keys(body).filter((_) => !Object.hasOwn(attributes, _))
  if (unknown.length > 0) {
    return badRequest(`Unrecognized attribute(s) '${unknown.toSorted((a, b) => a.localeCompare(b)).join(", ")}'`)
  }
  const converted: Record<string, unknown> = {}
  for (const [name, attribute] of Object.entries(attributes)) {
    if (!Object.hasOwn(body, name)) {
      if (method === "PUT") continue
      if (attribute.required === true) {
        return badRequest(`Failed to parse request. Required attribute '${name}' not specified`)
      }
      if ("initial" in attribute) converted[name] = attribute.initial
      continue
    }
    if (method === "POST" && attribute.post === false) return badRequest(`Attribute '${name}' not allowed in POST`)
    if (method === "PUT" && attribute.put === false) return badRequest(`Cannot update read-only attribute ${name}`)
    const checked = attribute.check(body[name])
    if ("wrong" in checked) return refusalOf(name, checked)
    converted[name] = checked.value
  }
  return Result.succeed(converted)
}
