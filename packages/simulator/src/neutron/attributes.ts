import { Result } from "effect"
import { parseCidr, versionOf } from "./ip.ts"
import { badRequest, refuse, type Step } from "./errors.ts"

/** Converts a value of a body, or says what is wrong with it. */
export type Check = (value: unknown) => { readonly value: unknown } | Wrong

export interface Wrong {
  readonly wrong: string
  /** That it cannot even be converted; such a refusal does not say of which attribute. */
  readonly unconverted?: true
}

/** One line of a resource's attribute map, as the API layer reads it. */
export interface Attribute {
  readonly check: Check
  /** Value of a create that does not name it; absent: the create must name it when `required`. */
  readonly initial?: unknown
  readonly required?: boolean
  readonly post?: false
  readonly put?: false
  /** Who is no administrator gets 403 for naming it. */
  readonly admin?: true
  /** May be filtered by. */
  readonly filter?: false
}

export type Attributes = Readonly<Record<string, Attribute>>
export type Given = Readonly<Record<string, unknown>>

const ok = (value: unknown) => ({ value })
const wrong = (text: string): Wrong => ({ wrong: text })
const unconverted = (text: string): Wrong => ({ wrong: text, unconverted: true })

const word = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))

export const text: Check = (value) =>
  typeof value !== "string"
    ? wrong(`'${word(value)}' is not a valid string`)
    : value.length > 255
      ? wrong(`'${value}' exceeds maximum length of 255`)
      : ok(value)

/** Strings count as the service counts them, in any letter case. */
export const flag: Check = (value) => {
  const known = typeof value === "boolean" || typeof value === "number" ? String(value) : value
  if (typeof known === "string" && ["true", "1"].includes(known.toLowerCase())) return ok(true)
  if (typeof known === "string" && ["false", "0"].includes(known.toLowerCase())) return ok(false)
  return unconverted(`'${word(value)}' cannot be converted to boolean`)
}

/** Text may be a number, and a fraction is cut off. */
export const integer: Check = (value) => {
  const number = typeof value === "string" && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value
  return typeof number === "number" ? ok(Math.trunc(number)) : unconverted(`'${word(value)}' is not an integer`)
}

export const uuid: Check = (value) =>
  typeof value === "string" && /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(value)
    ? ok(value)
    : wrong(`'${word(value)}' is not a valid UUID`)

export const address: Check = (value) =>
  typeof value === "string" && versionOf(value) !== undefined
    ? ok(value)
    : wrong(`'${word(value)}' is not a valid IP address`)

/** A bare address is a range of one. */
export const cidr: Check = (value) => {
  const range = typeof value === "string" ? parseCidr(value) : undefined
  if (typeof value !== "string" || range === undefined) return unconverted(`${word(value)} is not in a CIDR format`)
  return ok(value.includes("/") ? value : `${value}/${range.length}`)
}

export const list: Check = (value) => (Array.isArray(value) ? ok(value) : wrong(`'${word(value)}' is not a list`))

export const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return wrong(`'${word(value)}' is not a list`)
    const found = value.map(check).find((_) => "wrong" in _)
    return found ?? ok(value)
  }

export const anything: Check = ok

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? ok(null) : check(value)

export const oneOf =
  (...values: ReadonlyArray<unknown>): Check =>
  (value) =>
    // Upstream prints the name of the list.
    values.includes(value) ? ok(value) : wrong(`${word(value)} is not in valid_values`)

/** Name and description: on everything, and free. */
export const named: Attributes = {
  name: { check: text, initial: "" },
  description: { check: text, initial: "" }
}

/** Set by the service; filtered by, never written. */
export const readOnly: Attributes = Object.fromEntries(
  ["id", "created_at", "updated_at", "revision_number"].map((_) => [_, { check: anything, post: false, put: false }])
)

/** Attributes of everything that belongs to a project. */
export const owned: Attributes = {
  ...readOnly,
  project_id: { check: text, put: false },
  tenant_id: { check: text, put: false },
  tags: { check: list, post: false, put: false, filter: false }
}

/** The 400 for a value of an attribute. */
export const refusalOf = (name: string, { unconverted, wrong }: Wrong): Step<never> =>
  unconverted === true
    ? refuse(400, "InvalidInput", `Invalid input for operation: ${wrong}.`)
    : badRequest(`Invalid input for ${name}. Reason: ${wrong}.`)

/** The API layer's look at a body, before anything else looks at it. */
export const checkBody = (attributes: Attributes, body: Given, method: "POST" | "PUT"): Step<Given> => {
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
