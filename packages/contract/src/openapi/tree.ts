import { Predicate } from "effect"

/** A part of the document. */
export type Json = Readonly<Record<PropertyKey, unknown>>

/** The document, or a transformation's result. */
export type Spec = Record<string, unknown>

export const mapValues = (given: unknown, change: (value: unknown, name: string) => unknown): object =>
  Predicate.isObject(given)
    ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, change(value, name)]))
    : {}

/** Changes the name and the operations of each path. */
export const withPaths = (
  spec: Spec,
  change: (path: string, item: Json) => readonly [path: string, item: unknown]
): Spec => {
  const { paths } = spec
  if (!Predicate.isObject(paths)) return spec
  const changed = Object.entries(paths).map(([path, item]) =>
    Predicate.isObject(item) ? change(path, item) : [path, item]
  )
  return { ...spec, paths: Object.fromEntries(changed) }
}

/** Changes each operation. */
export const withOperations = (spec: Spec, change: (operation: Json) => unknown): Spec =>
  withPaths(spec, (path, item) => [
    path,
    mapValues(item, (_) => (Predicate.isObject(_) && "operationId" in _ ? change(_) : _))
  ])

/** Changes each response of each operation. */
export const withResponses = (spec: Spec, change: (status: string, response: Json, operation: Json) => unknown): Spec =>
  withOperations(spec, (operation) => ({
    ...operation,
    responses: mapValues(operation["responses"], (response, status) =>
      Predicate.isObject(response) ? change(status, response, operation) : response
    )
  }))

export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const textAt = (value: unknown, key: string): string | undefined => {
  const text = Predicate.isObject(value) ? value[key] : undefined
  return Predicate.isString(text) ? text : undefined
}

/** The component that a schema refers to. */
export const componentOf = ({ components }: Spec, schema: Json): unknown => {
  const name = textAt(schema, "$ref")?.split("/").at(-1)
  const schemas = Predicate.isObject(components) ? components["schemas"] : undefined
  return name === undefined || !Predicate.isObject(schemas) ? undefined : schemas[name]
}
