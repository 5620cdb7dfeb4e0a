import { has, isObject, type JsonObject, objectAt, stringAt, stringsAt } from "../Json.ts"
import { goPrint } from "./goPrint.ts"
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  wrongType
} from "./status.ts"

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
  const given: JsonObject = { ...value }
  // A null where none may be is as if nothing were there, so the default takes its place.
  const defaults = Object.entries(objectAt(schema, "properties")).flatMap(([key, _]) =>
    has(_, "default") && (given[key] === undefined || (given[key] === null && objectAt(_)["nullable"] !== true))
      ? [[key, objectAt(_)["default"]] as const]
      : []
  )
  const kept = propertiesOf(schema, { ...given, ...Object.fromEntries(defaults) }).map(([key, inner, own]) => {
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

const wantedType = (schema: JsonObject): string =>
  schema["x-kubernetes-int-or-string"] === true ? "integer,string" : String(schema["type"])

/** A null is as good as nothing where none may be. */
const isMissing = (schema: JsonObject, value: object, key: string): boolean =>
  !Object.hasOwn(value, key) ||
  (Reflect.get(value, key) === null && objectAt(schema, "properties", key)["nullable"] !== true)

/** Items of a list that is merged as a map, or as a set, whose keys are there already. */
const repeated = (schema: JsonObject, list: ReadonlyArray<unknown>, path: string): ReadonlyArray<FieldError> => {
  const type = schema["x-kubernetes-list-type"]
  if (type !== "map" && type !== "set") return []
  const keys = stringsAt(schema, "x-kubernetes-list-map-keys") ?? []
  const keyOf = (item: unknown) =>
    JSON.stringify(type === "set" ? item : Object.fromEntries(keys.map((_) => [_, objectAt({ item }, "item")[_]])))
  const all = list.map(keyOf)
  return all.flatMap((key, index) => (all.indexOf(key) < index ? [duplicate(`${path}[${index}]`, key)] : []))
}

const errorsAt = (schema: JsonObject, value: unknown, path: string): ReadonlyArray<FieldError> => {
  if (!isOfType(schema, value)) {
    return [wrongType(path, typeOf(value), wantedType(schema))]
  }
  if (Array.isArray(value)) {
    const { maxItems, minItems } = schema
    return [
      ...(typeof maxItems === "number" && value.length > maxItems ? [tooMany(path, value.length, maxItems)] : []),
      ...(typeof minItems === "number" && value.length < minItems
        ? [invalidValue(path, value.length, `${path} in body should have at least ${minItems} items`)]
        : []),
      ...value.flatMap((_, index) => errorsAt(objectAt(schema, "items"), _, `${path}[${index}]`)),
      ...repeated(schema, value, path)
    ]
  }
  if (typeof value !== "object" || value === null) return valueErrors(schema, value, path)
  const at = (key: string) => (path === "" ? key : `${path}.${key}`)
  const needed = stringsAt(schema, "required") ?? []
  return [
    ...needed.filter((_) => isMissing(schema, value, _)).map((_) => required(at(_))),
    ...propertiesOf(schema, value).flatMap(([key, inner, own]) =>
      own === undefined || (path === "" && rootKeys.has(key)) || (needed.includes(key) && isMissing(schema, value, key))
        ? []
        : errorsAt(own, inner, at(key))
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
    if (typeof maxLength === "number" && value.length > maxLength) return [tooLong(path, maxLength)]
    if (typeof pattern === "string" && !new RegExp(pattern).test(value)) return detail(`should match '${pattern}'`)
  }
  return []
}

/** Where the `scale` sub-resource finds its numbers, and a value that is none. */
const scaleErrors = (version: JsonObject, object: JsonObject): ReadonlyArray<FieldError> => {
  const { specReplicasPath, statusReplicasPath } = objectAt(version, "subresources", "scale")
  return [specReplicasPath, statusReplicasPath].flatMap((path) => {
    if (typeof path !== "string") return []
    let value: unknown = object
    for (const key of path.split(".").filter((_) => _ !== "")) {
      if (value === undefined) return []
      if (!isObject(value)) return [inaccessible(path, value, "map[string]interface{}")]
      value = value[key]
    }
    return value === undefined || Number.isInteger(value) ? [] : [inaccessible(path, value, "int64")]
  })
}

const goTypes: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "bool",
  integer: "int64",
  number: "float64",
  array: "[]interface {}",
  object: "map[string]interface {}",
  null: "<nil>"
}

const inaccessible = (path: string, value: unknown, wanted: string): FieldError =>
  invalidValue(
    path,
    0,
    `${path} accessor error: ${goPrint(value)} is of the type ${goTypes[typeOf(value)]}, expected ${wanted}`
  )

export const schemaErrors = (version: JsonObject, object: JsonObject): ReadonlyArray<FieldError> => [
  ...errorsAt(schemaOf(version), object, ""),
  ...scaleErrors(version, object)
]

/** The same of the status alone; its fields are named in the messages as if it were the whole. */
export const statusErrors = (version: JsonObject, object: JsonObject): ReadonlyArray<FieldError> => [
  ...errorsAt(objectAt(schemaOf(version), "properties", "status"), object["status"] ?? {}, "").map((_) => ({
    ..._,
    field: `status.${_.field}`
  })),
  ...scaleErrors(version, { status: object["status"] })
]
