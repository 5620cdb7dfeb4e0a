import { assert, describe, it } from "@effect/vitest"
import { documents } from "@portico/contract/openapi/documents"
import { Predicate } from "effect"

type Json = Readonly<Record<PropertyKey, unknown>>

/** Both planes: the customers' document is a part of the operators'. */
const document: Json = JSON.parse(JSON.stringify(documents.operator))
const customer: Json = JSON.parse(JSON.stringify(documents.customer))

const entries = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Predicate.isObject(value) ? Object.entries(value) : []

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((_, key) => (Predicate.isObject(_) ? _[key] : undefined), value)

const resolved = (schema: unknown): unknown => {
  const ref = at(schema, "$ref")
  return typeof ref === "string" ? resolved(at(document, ...ref.replace("#/", "").split("/"))) : schema
}

const textOf = (value: unknown, key: string): string => {
  const text = at(value, key)
  return typeof text === "string" ? text : ""
}

const operations = entries(document["paths"]).flatMap(([path, item]) =>
  entries(item)
    .filter(([, operation]) => at(operation, "operationId") !== undefined)
    .map(([method, operation]) => ({ path, method, operation, id: textOf(operation, "operationId") }))
)

/** What is said of a schema, here or where it is defined. */
const isDescribed = (schema: unknown): boolean =>
  textOf(schema, "description") !== "" || textOf(resolved(schema), "description") !== ""

/** Every place in a schema, with a name for the message. */
const places = (schema: unknown, name: string): ReadonlyArray<readonly [string, unknown]> => {
  if (!Predicate.isObject(schema)) return []
  const parts = [
    ...entries(schema["properties"]).map(([key, _]) => [`${name}.${key}`, _] as const),
    ...(Predicate.isObject(schema["items"]) ? [[`${name}[]`, schema["items"]] as const] : []),
    ...["anyOf", "oneOf", "allOf"].flatMap((key) =>
      Array.isArray(schema[key]) ? schema[key].map((_: unknown) => [name, _] as const) : []
    )
  ]
  return [[name, schema], ...parts.flatMap(([key, _]) => places(_, key))]
}

/** The schema of a parameter with what is said of the parameter. */
const schemaOf = (parameter: unknown): unknown => ({
  ...Object.fromEntries(entries(at(parameter, "schema"))),
  description: textOf(parameter, "description")
})

const schemas = [
  ...entries(at(document, "components", "schemas")).flatMap(([name, schema]) => places(schema, name)),
  ...operations.flatMap(({ id, operation }) => {
    const parameters = at(operation, "parameters")
    return Array.isArray(parameters)
      ? parameters.flatMap((_: unknown) => places(schemaOf(_), `${id} ?${textOf(_, "name")}`))
      : []
  })
]

describe("the documentation in the OpenAPI documents", () => {
  it("every operation has a summary: an imperative of at most 60 characters, its own, without a full stop", () => {
    const wrong = operations.filter(({ operation }) => !/^[A-Z][^\n]{2,59}(?<!\.)$/.test(textOf(operation, "summary")))
    assert.deepStrictEqual(
      wrong.map((_) => _.id),
      []
    )
    const proxied = /^(iaas|kubernetes)\./
    const summaries = operations.filter((_) => !proxied.test(_.id)).map((_) => textOf(_.operation, "summary"))
    assert.deepStrictEqual(
      summaries.filter((_, nth) => summaries.indexOf(_) !== nth),
      []
    )
  })

  it("every operation has a description that says more than its summary", () => {
    const wrong = operations.filter(
      ({ operation }) => textOf(operation, "description").length <= textOf(operation, "summary").length
    )
    assert.deepStrictEqual(
      wrong.map((_) => _.id),
      []
    )
  })

  it("every group has a title and a description", () => {
    const wrong = [document, customer].flatMap((_) => {
      const tags = at(_, "tags")
      return Array.isArray(tags)
        ? tags.filter((tag: unknown) => textOf(tag, "description") === "" || !/^[A-Z]/.test(textOf(tag, "name")))
        : [_]
    })
    assert.deepStrictEqual(wrong, [])
  })

  it("every field has a description", () => {
    const wrong = schemas.flatMap(([name, schema]) =>
      entries(at(schema, "properties"))
        .filter(([, field]) => !isDescribed(field))
        .map(([key]) => `${name}.${key}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("every parameter has a description", () => {
    const wrong = operations.flatMap(({ id, operation }) => {
      const parameters = at(operation, "parameters")
      return Array.isArray(parameters)
        ? parameters
            .filter((_: unknown) => textOf(_, "description") === "" && !isDescribed(at(_, "schema")))
            .map((_: unknown) => `${id} ?${textOf(_, "name")}`)
        : []
    })
    assert.deepStrictEqual([...new Set(wrong)], [])
  })

  it("every value of an enum has a meaning, in backticks in the description beside it", () => {
    const wrong = schemas.flatMap(([name, schema]) => {
      const values = at(schema, "enum")
      if (!Array.isArray(values) || values.length < 2 || values.join() === "true,false") return []
      const missing = values.filter((_) => !textOf(schema, "description").includes(`\`${String(_)}\``))
      return missing.length === 0 ? [] : [`${name}: ${missing.join(", ")}`]
    })
    assert.deepStrictEqual(wrong, [])
  })
})
