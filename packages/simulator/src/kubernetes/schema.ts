import { has, type JsonObject, objectAt, stringAt, stringsAt } from "../Json.ts"
import { type FieldError, invalidValue, notSupported, required, wrongType } from "./status.ts"

/** The structural schema of a definition's version. Only common keywords are validated; CEL rules are not. */
const schemaOf = (version: JsonObject): JsonObject => objectAt(version, "schema", "openAPIV3Schema")

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value
}

const isOfType = (schema: JsonObject, value: unknown): boolean => {
  const type = stringAt(schema, "type")
  const actual = typeOf(value)
  if (schema["x-kubernetes-int-or-string"] === true) return actual === "integer" || actual === "string"
  if (actual === "null") return schema["nullable"] === true || type === undefined
  return type === undefined || type === actual || (type === "number" && actual === "integer")
}

const isOpen = (schema: JsonObject): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true

/** Each property of an object with its schema; undefined for an unknown property. */
const propertiesOf = (schema: JsonObject, value: object) => {
  const known = objectAt(schema, "properties")
  const rest = schema["additionalProperties"]
  return Object.entries(value).map(([key, inner]): readonly [string, unknown, JsonObject | undefined] => [
    key,
    inner,
    has(known, key) ? objectAt(known, key) : rest !== undefined && rest !== false ? objectAt(rest) : undefined
  ])
}

const rootKeys: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"])

export interface Pruned {
  readonly value: unknown
  /** The paths of unknown fields. */
  readonly unknown: ReadonlyArray<string>
}

const prune = (schema: JsonObject, value: unknown, path: string): Pruned => {
  if (Array.isArray(value)) {
    const items = value.map((_, index) => prune(objectAt(schema, "items"), _, `${path}[${index}]`))
    return { value: items.map((_) => _.value), unknown: items.flatMap((_) => _.unknown) }
  }
  if (typeof value !== "object" || value === null) return { value, unknown: [] }
  const defaults = Object.entries(objectAt(schema, "properties")).flatMap(([key, _]) =>
    has(_, "default") && !Object.hasOwn(value, key) ? [[key, objectAt(_)["default"]] as const] : []
  )
  const kept = propertiesOf(schema, { ...Object.fromEntries(defaults), ...value }).map(([key, inner, own]) => {
    const at = path === "" ? key : `${path}.${key}`
    if (path === "" && rootKeys.has(key)) return [key, { value: inner, unknown: [] }] as const
    if (own !== undefined) return [key, prune(own, inner, at)] as const
    return [key, isOpen(schema) ? { value: inner, unknown: [] } : { value: undefined, unknown: [at] }] as const
  })
  return {
    value: Object.fromEntries(kept.filter(([, _]) => _.value !== undefined).map(([key, _]) => [key, _.value])),
    unknown: kept.flatMap(([, _]) => _.unknown)
  }
}

/** An object without unknown fields, and with the schema's defaults. */
export const pruned = (version: JsonObject, object: JsonObject): { object: JsonObject; unknown: Pruned["unknown"] } => {
  const { unknown, value } = prune(schemaOf(version), object, "")
  return { object: objectAt(value), unknown }
}

const errorsAt = (schema: JsonObject, value: unknown, path: string): ReadonlyArray<FieldError> => {
  if (!isOfType(schema, value)) {
    return [wrongType(path, typeOf(value), String(schema["type"]))]
  }
  if (Array.isArray(value)) {
    return value.flatMap((_, index) => errorsAt(objectAt(schema, "items"), _, `${path}[${index}]`))
  }
  if (typeof value !== "object" || value === null) return valueErrors(schema, value, path)
  const at = (key: string) => (path === "" ? key : `${path}.${key}`)
  return [
    ...(stringsAt(schema, "required") ?? []).filter((_) => !Object.hasOwn(value, _)).map((_) => required(at(_))),
    ...propertiesOf(schema, value).flatMap(([key, inner, own]) =>
      own === undefined || (path === "" && rootKeys.has(key)) ? [] : errorsAt(own, inner, at(key))
    )
  ]
}

const valueErrors = (schema: JsonObject, value: unknown, path: string): ReadonlyArray<FieldError> => {
  const { maxLength, maximum, minLength, minimum, pattern } = schema
  const options = schema["enum"]
  const detail = (why: string) => [invalidValue(path, value, `${path} in body ${why}`)]
  if (Array.isArray(options) && !options.includes(value)) return [notSupported(path, value, options.map(String))]
  if (typeof value === "number") {
    if (typeof minimum === "number" && value < minimum) return detail(`should be greater than or equal to ${minimum}`)
    if (typeof maximum === "number" && value > maximum) return detail(`should be less than or equal to ${maximum}`)
  }
  if (typeof value === "string") {
    if (typeof minLength === "number" && value.length < minLength)
      return detail(`should be at least ${minLength} chars long`)
    if (typeof maxLength === "number" && value.length > maxLength) return detail(`may not be longer than ${maxLength}`)
    if (typeof pattern === "string" && !new RegExp(pattern).test(value)) return detail(`should match '${pattern}'`)
  }
  return []
}

export const schemaErrors = (version: JsonObject, object: JsonObject): ReadonlyArray<FieldError> =>
  errorsAt(schemaOf(version), object, "")
