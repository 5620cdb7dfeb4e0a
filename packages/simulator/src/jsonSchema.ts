import { Option, Predicate } from "effect"
import { isIPv4, isIPv6 } from "node:net"
import { has, isObject, isUuid } from "./Json.ts"
import { repr } from "./python.ts"

/**
 * The keywords of JSON Schema that the services' request schemas use. As in Python's `jsonschema`, the keywords
 * of a schema are checked in the order in which they are written.
 */
export interface Schema {
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: keyof typeof formats
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly oneOf?: ReadonlyArray<Schema>
  readonly properties?: Properties
  readonly patternProperties?: Properties
  readonly required?: ReadonlyArray<string>
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly additionalProperties?: boolean
}

export type Properties = Readonly<Record<string, Schema>>

/** The first failure: its place, the value there, and the message of the library. */
export interface Failure {
  readonly path: ReadonlyArray<string | number>
  readonly value: unknown
  readonly message: string
  /** The failure of a format that has a whole sentence of its own. */
  readonly whole?: boolean
}

const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
const isName = (text: string): boolean => text.trim() === text && !/\p{C}/u.test(text)

/** The formats of names, each with what a name must be. */
const names: Readonly<Record<string, string>> = {
  name: "printable characters. Can not start or end with whitespace.",
  keypair_name_20: `Only expected characters: [_- ${letters}]`,
  keypair_name_292: `Only expected characters: [@._- ${letters}]`
}

/** A caller's regular expression; none where the text is not one. */
export const regexOf = Option.liftThrowable((text: string) => new RegExp(text, "i"))

/** Python's `$` is before a line feed at the end, too. */
const inPython = (pattern: string): RegExp => new RegExp(pattern.replace(/\$$/, "(?=\\n?$)"))

const isoTime = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}(?::?\d{2}(?::?\d{2}(?:[.,]\d+)?)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/

const formats = {
  uuid: isUuid,
  ipv4: (text: string) => isIPv4(text),
  ipv6: (text: string) => isIPv6(text) && !text.includes("%"),
  base64: (text: string) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  regex: (text: string) => text !== "" && Option.isSome(regexOf(text)),
  "date-time": (text: string) => isoTime.test(text) && !Number.isNaN(Date.parse(text.replace(" ", "T"))),
  name: isName,
  keypair_name_20: (text: string) => isName(text) && /^[\w -]*$/.test(text),
  keypair_name_292: (text: string) => isName(text) && /^[\w@. -]*$/.test(text)
} as const satisfies Readonly<Record<string, (text: string) => boolean>>

const typeChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (_) => typeof _ === "string",
  integer: (_) => Number.isInteger(_),
  number: (_) => typeof _ === "number",
  boolean: (_) => typeof _ === "boolean",
  null: (_) => _ === null || _ === undefined,
  array: Array.isArray,
  object: isObject
}

type Check<Key extends keyof Schema> = (
  rule: NonNullable<Schema[Key]>,
  value: unknown,
  schema: Schema
) => ReadonlyArray<Failure>

const fail = (value: unknown, message: string): ReadonlyArray<Failure> => [{ path: [], value, message }]
const none: ReadonlyArray<Failure> = []

const at = (key: string | number, failures: ReadonlyArray<Failure>): ReadonlyArray<Failure> =>
  failures.map((_) => ({ ..._, path: [key, ..._.path] }))

const textRule =
  <Rule>(breaks: (rule: Rule, text: string) => boolean, message: (rule: Rule, text: string) => string) =>
  (rule: Rule, value: unknown) =>
    typeof value === "string" && breaks(rule, value) ? fail(value, message(rule, value)) : none

/** Numeric text counts as a number, by an extension of the services. */
const bound =
  (breaks: (limit: number, value: number) => boolean, why: string) =>
  (limit: number, value: unknown): ReadonlyArray<Failure> => {
    const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value
    return typeof number === "number" && breaks(limit, number)
      ? fail(value, `${repr(value)} is ${why} of ${limit}`)
      : none
  }

const extrasOf = (schema: Schema, value: object): ReadonlyArray<string> => {
  const patterns = Object.keys(schema.patternProperties ?? {})
  return Object.keys(value).filter(
    (key) => !has(schema.properties, key) && !patterns.some((_) => new RegExp(_).test(key))
  )
}

const checkExtras: Check<"additionalProperties"> = (allowed, value, schema) => {
  const extras = allowed || !isObject(value) ? [] : extrasOf(schema, value)
  if (extras.length === 0) return none
  const [names, one] = [extras.map(repr).join(", "), extras.length === 1]
  const patterns = Object.keys(schema.patternProperties ?? {})
  return fail(
    value,
    patterns.length === 0
      ? `Additional properties are not allowed (${names} ${one ? "was" : "were"} unexpected)`
      : `${names} ${one ? "does" : "do"} not match any of the regexes: ${patterns.map(repr).join(", ")}`
  )
}

type Checker = (schema: Schema, value: unknown) => ReadonlyArray<Failure>

const by =
  <Key extends keyof Schema>(key: Key, check: Check<Key>): Checker =>
  (schema, value) => {
    const rule = schema[key]
    return Predicate.isNotNullish(rule) ? check(rule, value, schema) : none
  }

const checks: Readonly<Record<keyof Schema, Checker>> = {
  type: by("type", (types, value) => {
    const names = typeof types === "string" ? [types] : types
    return names.some((_) => typeChecks[_]?.(value) === true)
      ? none
      : fail(value, `${repr(value)} is not of type ${names.map(repr).join(", ")}`)
  }),
  enum: by("enum", (values, value) =>
    values.includes(value) ? none : fail(value, `${repr(value)} is not one of ${repr(values)}`)
  ),
  minLength: by(
    "minLength",
    textRule(
      (least, _) => _.length < least,
      (_, text) => `${repr(text)} is too short`
    )
  ),
  maxLength: by(
    "maxLength",
    textRule(
      (most, _) => _.length > most,
      (_, text) => `${repr(text)} is too long`
    )
  ),
  pattern: by(
    "pattern",
    textRule(
      (pattern, _) => !inPython(pattern).test(_),
      (pattern, _) => `${repr(_)} does not match ${repr(pattern)}`
    )
  ),
  format: by("format", (format, value) => {
    if (typeof value !== "string") return none
    if (formats[format](value)) return none
    const must = names[format]
    return must === undefined
      ? fail(value, `${repr(value)} is not a ${repr(format)}`)
      : [{ path: [], value, message: `An invalid 'name' value was provided. The name must be: ${must}`, whole: true }]
  }),
  minimum: by(
    "minimum",
    bound((least, _) => _ < least, "less than the minimum")
  ),
  maximum: by(
    "maximum",
    bound((most, _) => _ > most, "greater than the maximum")
  ),
  items: by("items", (schema, value) =>
    Array.isArray(value) ? value.flatMap((_, index) => at(index, failuresOf(schema, _))) : none
  ),
  minItems: by("minItems", (least, value) =>
    Array.isArray(value) && value.length < least ? fail(value, `${repr(value)} is too short`) : none
  ),
  maxItems: by("maxItems", (most, value) =>
    Array.isArray(value) && value.length > most ? fail(value, `${repr(value)} is too long`) : none
  ),
  oneOf: by("oneOf", (schemas, value) =>
    schemas.some((_) => failuresOf(_, value).length === 0)
      ? none
      : fail(value, `${repr(value)} is not valid under any of the given schemas`)
  ),
  properties: by("properties", (properties, value) =>
    isObject(value)
      ? Object.entries(properties).flatMap(([key, _]) => (has(value, key) ? at(key, failuresOf(_, value[key])) : []))
      : none
  ),
  patternProperties: by("patternProperties", (patterns, value) =>
    Object.entries(isObject(value) ? value : {}).flatMap(([key, inner]) =>
      Object.entries(patterns).flatMap(([pattern, _]) =>
        new RegExp(pattern).test(key) ? at(key, failuresOf(_, inner)) : []
      )
    )
  ),
  required: by("required", (keys, value) =>
    isObject(value)
      ? keys.filter((_) => !has(value, _)).flatMap((_) => fail(value, `${repr(_)} is a required property`))
      : none
  ),
  minProperties: by("minProperties", (least, value) =>
    isObject(value) && Object.keys(value).length < least
      ? fail(value, `${repr(value)} does not have enough properties`)
      : none
  ),
  maxProperties: by("maxProperties", (most, value) =>
    isObject(value) && Object.keys(value).length > most ? fail(value, `${repr(value)} has too many properties`) : none
  ),
  additionalProperties: by("additionalProperties", checkExtras)
}

const isKeyword = (key: string): key is keyof Schema => Object.hasOwn(checks, key)

const failuresOf = (schema: Schema, value: unknown): ReadonlyArray<Failure> =>
  Object.keys(schema)
    .filter(isKeyword)
    .flatMap((key) => checks[key](schema, value))

/** The first failure of a value; undefined when it fits. */
export const firstFailure = (schema: Schema, value: unknown): Failure | undefined => failuresOf(schema, value)[0]
