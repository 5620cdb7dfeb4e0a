import { Predicate } from "effect"
import type { Answer } from "../harness/http.ts"

export { documents } from "@portico/contract/openapi/documents"

type Json = Readonly<Record<string, unknown>>

/**
 * What is wrong with an answer by the OpenAPI document of its plane: a status
 * that the route does not declare, a content type, a body that is not of its
 * schema. Empty when nothing is.
 *
 * @param path as the document spells it: `/v1/credentials/{credential_id}`
 */
export const violations = (document: unknown, method: string, path: string, answer: Answer): ReadonlyArray<string> => {
  const at = `${method} ${path} ${answer.status}`
  const operation = get(document, "paths", path, method.toLowerCase())
  if (operation === undefined) return [`${at}: the document has no such operation`]
  const response = get(operation, "responses", String(answer.status)) ?? get(operation, "responses", "default")
  if (response === undefined) return [`${at}: the status is not declared`]
  const content = get(resolved(document, response), "content")
  if (content === undefined) return answer.text === "" ? [] : [`${at}: no body is declared, and there is one`]
  const type = (answer.headers["content-type"] ?? "").split(";")[0] ?? ""
  const media = get(content, type) ?? get(content, "*/*")
  if (media === undefined) return [`${at}: the content type '${type}' is not declared`]
  const schema = get(media, "schema")
  if (schema === undefined) return []
  const items = itemsOf(type, answer.text)
  if (items !== undefined) {
    if (get(schema, "type") !== "string") return [`${at}: the body is text, and its schema is not of a text`]
    const item = get(schema, "contentSchema")
    return items.flatMap((value, nth) => misfits(document, item, value, `$[${nth}]`).map((_) => `${at}: ${_}`))
  }
  if (type !== "application/json") return [`${at}: a schema for '${type}' is not understood here`]
  return misfits(document, schema, JSON.parse(answer.text), "$").map((_) => `${at}: ${_}`)
}

/** What a stream consists of; undefined where the type is not a stream's. */
const itemsOf = (type: string, text: string): ReadonlyArray<unknown> | undefined => {
  if (type === "text/event-stream") return eventsIn(text)
  if (type !== "application/x-ndjson") return undefined
  return text
    .trimEnd()
    .split("\n")
    .map((_) => JSON.parse(_))
}

/** The events of a stream as the document has them; what is without data is none. */
const eventsIn = (text: string): ReadonlyArray<Json> =>
  text.split("\n\n").flatMap((block) => {
    const fields = new Map(
      block.split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)])
    )
    const data = fields.get("data")
    const id = fields.get("id")
    return data === undefined
      ? []
      : [{ event: fields.get("event") ?? "message", data: JSON.parse(data), ...(id === undefined ? {} : { id }) }]
  })

/** Which keywords are understood. Another one in the document is a violation, so that none is passed over in silence. */
const known = new Set([
  "$ref",
  "additionalProperties",
  "allOf",
  "anyOf",
  "const",
  "default",
  // For readers: nothing has to fit them.
  "deprecated",
  "description",
  "examples",
  "enum",
  // Beside a pattern, which is looked at.
  "format",
  "items",
  "maximum",
  "maxItems",
  "maxLength",
  "minimum",
  "minItems",
  "minLength",
  "oneOf",
  "pattern",
  "properties",
  "required",
  "title",
  "type",
  "uniqueItems"
])

/** Where and how a value does not fit; of the values themselves nothing is told. */
export const misfits = (document: unknown, given: unknown, value: unknown, at: string): ReadonlyArray<string> => {
  if (given === true) return []
  const schema = resolved(document, given)
  if (!isJson(schema)) return [`${at}: no schema`]
  const strange = Object.keys(schema).filter((_) => !known.has(_))
  if (strange.length > 0) return [`${at}: the keyword ${strange.join()} is not understood here`]
  const within = (sub: unknown, value: unknown, place: string) => misfits(document, sub, value, place)

  const { additionalProperties, allOf, anyOf, items, maximum, maxLength, minimum, minLength, oneOf, pattern } = schema
  const found: Array<string> = []
  const fail = (why: string) => void found.push(`${at}: ${why}`)

  if (schema["type"] !== undefined && !listed(schema["type"]).some((_) => hasType(value, _))) {
    return [`${at}: is no ${listed(schema["type"]).join(" or ")}`]
  }
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value)) fail("is none of the enum")
  if ("const" in schema && schema["const"] !== value) fail("is not the constant")
  if (typeof value === "number") {
    if (typeof minimum === "number" && value < minimum) fail("is below the minimum")
    if (typeof maximum === "number" && value > maximum) fail("is above the maximum")
  }
  if (typeof value === "string") {
    if (typeof minLength === "number" && value.length < minLength) fail("is too short")
    if (typeof maxLength === "number" && value.length > maxLength) fail("is too long")
    if (typeof pattern === "string" && !new RegExp(pattern, "u").test(value)) fail("does not match the pattern")
  }
  for (const sub of listed(allOf)) found.push(...within(sub, value, at))
  if (Array.isArray(anyOf) && !anyOf.some((_) => within(_, value, at).length === 0)) fail("fits none of anyOf")
  if (Array.isArray(oneOf) && oneOf.filter((_) => within(_, value, at).length === 0).length !== 1) {
    fail("does not fit exactly one of oneOf")
  }
  if (Array.isArray(value)) {
    if (typeof schema["minItems"] === "number" && value.length < schema["minItems"]) fail("has too few items")
    if (typeof schema["maxItems"] === "number" && value.length > schema["maxItems"]) fail("has too many items")
    if (schema["uniqueItems"] === true && new Set(value.map((_) => JSON.stringify(_))).size < value.length) {
      fail("has an item twice")
    }
  }
  if (Array.isArray(value) && items !== undefined) {
    value.forEach((item, i) => found.push(...within(items, item, `${at}[${i}]`)))
  }
  if (isJson(value)) {
    const properties = isJson(schema["properties"]) ? schema["properties"] : {}
    for (const name of listed(schema["required"])) if (!Object.hasOwn(value, String(name))) fail(`lacks '${name}'`)
    for (const [name, part] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) found.push(...within(properties[name], part, `${at}.${name}`))
      else if (additionalProperties === false) fail(`has '${name}', which is not declared`)
      else if (additionalProperties !== undefined) found.push(...within(additionalProperties, part, `${at}.${name}`))
    }
  }
  return found
}

const isJson = (value: unknown): value is Json => Predicate.isObject(value)

const listed = (value: unknown): ReadonlyArray<unknown> =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

const hasType = (value: unknown, type: unknown): boolean => {
  switch (type) {
    case "object":
      return isJson(value)
    case "array":
      return Array.isArray(value)
    case "null":
      return value === null
    case "integer":
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

export const get = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((at, key) => (isJson(at) && Object.hasOwn(at, key) ? at[key] : undefined), value)

const resolved = (document: unknown, value: unknown): unknown => {
  const ref = get(value, "$ref")
  if (typeof ref !== "string") return value
  return resolved(document, get(document, ...ref.replace("#/", "").split("/")))
}
