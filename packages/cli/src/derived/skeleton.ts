import { Predicate } from "effect"
import type { Field, Operation } from "@portico/client/catalogue/Catalogue"

/** A value that the schema of a field takes: the recorded one, the default, or one that shows its form. */
const sample = (field: Field, recorded: unknown): unknown => {
  if (field.fields !== undefined) return objectOf(field.fields, recorded)
  if (recorded !== undefined) return field.items?.fields === undefined ? recorded : listOf(field.items, recorded)
  if (field.default !== undefined) return field.default
  const [value] = field.values?.[0] ?? []
  if (value !== undefined) return value
  switch (field.type) {
    case "integer":
    case "number":
      return field.least ?? 0
    case "boolean":
      return false
    case "list":
      return field.items === undefined ? [] : [sample(field.items, undefined)]
    case "object":
      return {}
    case "string":
      return (field.name === "" ? "value" : field.name).slice(0, field.most)
  }
}

/** A list of objects shows every field of one. */
const listOf = (items: Field, recorded: unknown): unknown =>
  Array.isArray(recorded) ? recorded.map((one: unknown) => sample(items, one)) : [sample(items, undefined)]

const objectOf = (fields: ReadonlyArray<Field>, recorded: unknown) => {
  const known = Predicate.isObject(recorded) ? recorded : {}
  return Object.fromEntries(fields.map((field) => [field.name, sample(field, known[field.name])]))
}

/** A body with every field of an operation. */
export const skeletonOf = (operation: Operation): Readonly<Record<string, unknown>> =>
  objectOf(operation.body, operation.example.body)
