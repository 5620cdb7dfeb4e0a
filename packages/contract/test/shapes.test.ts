import { documents } from "@portico/contract/openapi/documents"
import { assert, it } from "@effect/vitest"
import { Predicate } from "effect"

/** Every schema of a property with this name, with its place in the document. */
const named = (name: string, value: unknown, at = ""): ReadonlyArray<readonly [at: string, schema: unknown]> =>
  Predicate.isObject(value) || Array.isArray(value)
    ? Object.entries(value).flatMap(([key, _]) => [
        ...(at.endsWith("/properties") && key === name ? [[`${at}/${key}`, _] as const] : []),
        ...named(name, _, `${at}/${key}`)
      ])
    : []

it("`projects` is a list of objects with the id of each, in every answer", () => {
  const schemas: unknown = Object(documents.operator["components"]).schemas
  const found = named("projects", schemas)
  assert.isAbove(found.length, 2)
  const resolved = (schema: unknown): unknown => {
    const ref: unknown = Object(schema)["$ref"]
    return typeof ref === "string" ? Object(schemas)[ref.replace("#/components/schemas/", "")] : schema
  }
  const wrong = found.filter(([, _]) => Object(resolved(Object(_).items)).properties?.project_id === undefined)
  assert.deepStrictEqual(
    wrong.map(([at]) => at),
    []
  )
})

it("a body that is a text, as its example shows, has the schema of a text", () => {
  const found = examplesIn(documents.operator.paths)
  assert.isAbove(found.length, 1)
  const wrong = found.filter(({ schema }) => Object(schema).type !== "string")
  assert.deepStrictEqual(
    wrong.map(({ at }) => at),
    []
  )
})

/** The examples that are texts of bodies with a schema, each with its place in the document. */
const examplesIn = (value: unknown, at = ""): ReadonlyArray<{ readonly at: string; readonly schema: unknown }> => {
  if (!Predicate.isObject(value)) return []
  const { examples, schema } = value
  const example: unknown = Object(Object(examples)["recorded"])["value"]
  const own = typeof example === "string" && schema !== undefined ? [{ at, schema }] : []
  return [...own, ...Object.entries(value).flatMap(([key, _]) => examplesIn(_, `${at}/${key}`))]
}
