import { isObject, type JsonObject } from "../Json.ts"
import { canonical, isQuantity } from "./quantity.ts"
import type { Field, Shape } from "./shapes.ts"

/** An object as Go decodes it into its type and writes it again. */
export interface Conformed {
  readonly object: JsonObject
  /** The paths of unknown fields. */
  readonly unknown: ReadonlyArray<string>
  /** The decoder's message; undefined when every value has its type. */
  readonly error: string | undefined
}

interface Place {
  /** With indices: `spec.containers[0].image`. */
  readonly path: string
  /** Without: `spec.containers.image`. */
  readonly field: string
  /** The innermost struct. */
  readonly struct: string
}

const badQuantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

const wordOf = (value: unknown): string => {
  if (Array.isArray(value)) return "array"
  return typeof value === "boolean" ? "bool" : typeof value
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0

/** The place of the first character that base64 does not have. */
const badBase64 = (text: string): number | undefined => {
  const plain = text.replaceAll(/[\r\n]/g, "")
  const [body = ""] = /^[A-Za-z0-9+/]*/.exec(plain) ?? []
  const padding = (4 - (body.length % 4)) % 4
  if (plain === body + "=".repeat(padding) && padding < 3) return undefined
  return body.length === plain.length ? body.length - (body.length % 4) : body.length
}

/** What of an object its type has, with nulls and empty collections left out, as the API shows it. */
export const conform = (shape: Shape, given: JsonObject): Conformed => {
  const unknown: Array<string> = []
  const mismatches: Array<string> = []
  const failures: Array<string> = []

  const mismatch = (value: unknown, type: string, { field, struct }: Place): undefined => {
    const number = typeof value === "number" && /^u?int/.test(type) ? ` ${value}` : ""
    mismatches.push(
      `json: cannot unmarshal ${wordOf(value)}${number} into Go struct field ${struct}.${field} of type ${type}`
    )
  }
  const fails = (why: string): undefined => {
    failures.push(why)
  }

  const scalar = (type: string, value: unknown, place: Place): unknown => {
    switch (type) {
      case "string":
        return typeof value === "string" ? value : mismatch(value, type, place)
      case "bool":
        return typeof value === "boolean" ? value : mismatch(value, type, place)
      case "int32":
      case "int64":
        return Number.isInteger(value) ? value : mismatch(value, type, place)
      case "float64":
        return typeof value === "number" ? value : mismatch(value, type, place)
      case "intstr.IntOrString":
        return typeof value === "string" || Number.isInteger(value) ? value : mismatch(value, "int32", place)
      case "resource.Quantity":
        return isQuantity(value) ? canonical(value) : fails(badQuantity)
      case "[]uint8": {
        if (typeof value !== "string") return mismatch(value, type, place)
        const at = badBase64(value)
        return at === undefined ? value : fails(`illegal base64 data at input byte ${at}`)
      }
      default:
        return typeof value === "string" && !Number.isNaN(Date.parse(value))
          ? value
          : fails(
              `parsing time "${String(value)}" as "2006-01-02T15:04:05Z07:00": cannot parse "${String(value)}" as "2006"`
            )
    }
  }

  const visit = (at: Shape, value: unknown, place: Place): unknown => {
    if (value === null || value === undefined) return undefined
    switch (at.form) {
      case "any":
        return value
      case "scalar":
        return scalar(at.type, value, place)
      case "list":
        if (!Array.isArray(value)) return mismatch(value, at.type, place)
        return value.map((_, index) => visit(at.of, _, { ...place, path: `${place.path}[${index}]` }) ?? _)
      case "map":
        if (!isObject(value)) return mismatch(value, at.type, place)
        return Object.fromEntries(
          Object.entries(value).map(([key, _]) => [
            key,
            visit(at.of, _, { ...place, path: `${place.path}[${key}]` }) ?? (at.of.type === "string" ? "" : _)
          ])
        )
      case "struct":
        return isObject(value) ? struct(at.fields, at.name, value, place) : mismatch(value, at.type, place)
    }
  }

  const struct = (fields: ReadonlyMap<string, Field>, name: string, value: JsonObject, place: Place): JsonObject => {
    const below = (key: string): Place => ({
      path: place.path === "" ? key : `${place.path}.${key}`,
      field: place.field === "" ? key : `${place.field}.${key}`,
      struct: name
    })
    for (const key of Object.keys(value)) if (!fields.has(key)) unknown.push(below(key).path)
    const shown = Object.entries(value).flatMap(([key, inner]) => {
      const field = fields.get(key)
      const read = field === undefined ? undefined : visit(field.shape, inner, below(key))
      const collection = field?.shape.form === "list" || field?.shape.form === "map"
      return read === undefined || (collection && !field.required && isEmpty(read)) ? [] : [[key, read] as const]
    })
    const presets = [...fields].flatMap(([key, { preset }]) => (preset === undefined ? [] : [[key, preset] as const]))
    return { ...Object.fromEntries(presets), ...Object.fromEntries(shown) }
  }

  const object = visit(shape, given, { path: "", field: "", struct: "" })
  return { object: isObject(object) ? object : given, unknown, error: failures[0] ?? mismatches[0] }
}
