import { Predicate } from "effect"
import { type Json, type Spec, withOperations } from "./tree.ts"

/** Declares an optional body as nullable: JSON has no other notation for a missing body. */
export const withOptionalBodies = (spec: Spec): Spec => withOperations(spec, optionalBody)

const optionalBody = (operation: Json): unknown => {
  const { requestBody } = operation
  const content = Predicate.isObject(requestBody) ? requestBody["content"] : undefined
  const json = Predicate.isObject(content) ? content["application/json"] : undefined
  const schema = Predicate.isObject(json) ? json["schema"] : undefined
  const either = Predicate.isObject(schema) ? schema["anyOf"] : undefined
  if (!Array.isArray(either) || either.length !== 2 || !isNothing(either[1])) return operation
  return { ...operation, requestBody: { content: { "application/json": { schema: either[0] } }, required: false } }
}

const isNothing = (schema: unknown): boolean => Predicate.isObject(schema) && schema["type"] === "null"

/** Replaces a choice of one schema by that schema. */
export const withoutSingleChoices = (spec: Spec): Spec =>
  JSON.parse(JSON.stringify(spec), (_, value: unknown) => {
    if (!Predicate.isObject(value) || !Array.isArray(value["anyOf"]) || value["anyOf"].length !== 1) return value
    const { anyOf, ...others } = value
    return { ...Object.assign({}, ...anyOf), ...others }
  })

/**
 * Moves what is said of a field, which the generated document has in an `allOf`
 * of its own, to the field, where readers and generators look for it.
 */
export const withPlainFields = (spec: Spec): Spec =>
  JSON.parse(JSON.stringify(spec), (_, value: unknown) => plainField(value))

const plainField = (schema: unknown): unknown => {
  if (!Predicate.isObject(schema) || !Array.isArray(schema["allOf"])) return schema
  const { allOf, ...own } = schema
  const described = allOf.filter(isDescription)
  const others = allOf.filter((_) => !isDescription(_))
  if (described.length === 0) return schema
  const [only] = others
  const base: object =
    Object.keys(own).length === 0 && others.length === 1 && Predicate.isObject(only)
      ? only
      : { ...own, ...(others.length === 0 ? {} : { allOf: others }) }
  const description = [...described.map((_) => _["description"]), Reflect.get(base, "description")]
  return {
    ...base,
    ...Object.assign({}, ...described),
    description: description.filter(Predicate.isString).join("\n\n")
  }
}

const isDescription = (schema: unknown): schema is Record<PropertyKey, unknown> =>
  Predicate.isObject(schema) &&
  Predicate.isString(schema["description"]) &&
  Object.keys(schema).every((_) => ["description", "deprecated", "examples", "default", "format", "title"].includes(_))

/**
 * Removes the suffix `Encoded` of error classes and the internals of streams,
 * which mean nothing to a reader of the document.
 */
export const withPlainNames = (spec: Spec): Spec =>
  JSON.parse(JSON.stringify(spec).replaceAll(/Encoded"/g, '"'), (key, value: unknown) =>
    key === "x-effect-stream" ? undefined : value
  )

/**
 * Removes the bounds that every integer has, because JSON carries no larger one
 * exactly: beside a count of rows they tell a reader nothing.
 */
export const withoutSafeBounds = (spec: Spec): Spec =>
  JSON.parse(JSON.stringify(spec), (key, value: unknown) =>
    (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)
      ? undefined
      : value
  )
