import { Result } from "effect"
import { isObject, type JsonObject, objectAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { keyStep } from "./managedFields.ts"
import { itemOf, mergingOf, type Shape } from "./shapes.ts"
import { refuse } from "./status.ts"

const isScalar: Readonly<Record<string, readonly [word: string, is: (value: unknown) => boolean]>> = {
  string: ["string", (_) => typeof _ === "string"],
  bool: ["boolean", (_) => typeof _ === "boolean"],
  boolean: ["boolean", (_) => typeof _ === "boolean"],
  int32: ["numeric (int or float)", (_) => typeof _ === "number"],
  int64: ["numeric (int or float)", (_) => typeof _ === "number"],
  integer: ["numeric (int or float)", (_) => typeof _ === "number"],
  number: ["numeric (int or float)", (_) => typeof _ === "number"],
  float64: ["numeric (int or float)", (_) => typeof _ === "number"]
}

const got = (value: unknown): string => `&value.valueUnstructured{Value:${JSON.stringify(value)}}`

const errorsAt = (shape: Shape, value: unknown, path: string): ReadonlyArray<string> => {
  if (value === null || value === undefined) return []
  switch (shape.form) {
    case "any":
      return []
    case "scalar": {
      const [word, is] = isScalar[shape.type] ?? []
      return word === undefined || is?.(value) === true ? [] : [`${path}: expected ${word}, got ${got(value)}`]
    }
    case "list": {
      if (!Array.isArray(value)) return [`${path}: expected list, got ${got(value)}`]
      const merging = mergingOf(shape)
      return value.flatMap((item, index) => {
        const step =
          typeof merging === "string" || !isObject(item)
            ? String(index)
            : keyStep(item, merging.keys, itemOf(shape))
                .slice(3, -1)
                .replaceAll(/"(\w+)":/g, "$1=")
        return errorsAt(shape.of, item, `${path}[${step}]`)
      })
    }
    case "map":
      return isObject(value)
        ? Object.entries(value).flatMap(([key, _]) => errorsAt(shape.of, _, `${path}.${key}`))
        : [`${path}: expected map, got ${got(value)}`]
    case "struct":
      return isObject(value)
        ? Object.entries(value).flatMap(([key, _]) => {
            const field = shape.fields.get(key)
            if (field === undefined) return shape.open ? [] : [`${path}.${key}: field not declared in schema`]
            return errorsAt(field.shape, _, `${path}.${key}`)
          })
        : [`${path}: expected map, got ${got(value)}`]
  }
}

/** An applied configuration has to fit the type of its kind. */
export const checkTypes = (shape: Shape, config: JsonObject): Step<void> => {
  const errors = errorsAt(shape, config, "")
  if (errors.length === 0) return Result.void
  const metadata = objectAt(config, "metadata")
  const name = `${stringAt(metadata, "namespace") ?? ""}/${stringAt(metadata, "name") ?? ""}`
  const type = `${String(config["apiVersion"])}, Kind=${String(config["kind"])}`
  const all = errors.length === 1 ? errors[0] : `errors:\n${errors.map((_) => `  ${_}`).join("\n")}`
  return refuse(500, "", `failed to create typed patch object (${name}; ${type}): ${all}`)
}
