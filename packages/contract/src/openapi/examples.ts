import { Predicate } from "effect"

type Json = Readonly<Record<PropertyKey, unknown>>

/** A successful exchange of an operation. */
interface Example {
  readonly status: number
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly requestType?: string
  readonly request?: unknown
  readonly responseType?: string
  readonly response?: unknown
}

/** By the names of operations: `generated/examples.json`, which a test records at a gateway on the simulated cloud. */
export type Examples = Readonly<Record<string, Example>>

/** Puts the recorded exchange of each operation beside its parameters, its body and its response. */
export const withExamples = (spec: Record<string, unknown>, examples: Examples): Record<string, unknown> => {
  const { paths } = spec
  if (!Predicate.isObject(paths)) return spec
  return {
    ...spec,
    paths: mapValues(paths, (item) => (Predicate.isObject(item) ? mapValues(item, shown(item, examples)) : item))
  }
}

const shown =
  ({ parameters }: Json, examples: Examples) =>
  (operation: unknown): unknown => {
    if (!Predicate.isObject(operation)) return operation
    const example = examples[String(operation["operationId"])]
    if (example === undefined) return operation
    // Those of the path hold for every method; their values differ.
    const all = [...listed(parameters), ...listed(operation["parameters"])]
    return {
      ...operation,
      ...(all.length === 0 ? {} : { parameters: all.map((_) => withValue(_, example)) }),
      ...requestOf(operation, example),
      responses: responsesOf(operation["responses"], example)
    }
  }

const listed = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const withValue = (parameter: unknown, { path, query }: Example): unknown => {
  if (!Predicate.isObject(parameter)) return parameter
  const values: Json = parameter["in"] === "path" ? path : parameter["in"] === "query" ? query : {}
  const value = values[String(parameter["name"])]
  return value === undefined ? parameter : { ...parameter, example: typed(parameter["schema"], value) }
}

/** On the wire a number and a boolean are text, and a list of one is that one. */
const typed = (schema: unknown, value: unknown): unknown => {
  const type = Predicate.isObject(schema) ? schema["type"] : undefined
  if (type === "array") return Array.isArray(value) ? value : [value]
  if (type === "integer" || type === "number") return Number(value)
  return type === "boolean" ? value === "true" : value
}

const requestOf = ({ requestBody }: Json, { request, requestType }: Example): object =>
  request === undefined ? {} : { requestBody: inContent(requestBody, requestType, request) }

/** A catch-all declares 200 alone, and passes on what the service answers. */
const responsesOf = (responses: unknown, { response, responseType, status }: Example): unknown => {
  if (!Predicate.isObject(responses) || response === undefined) return responses
  const declared = String(status) in responses ? String(status) : "default"
  return { ...responses, [declared]: inContent(responses[declared], responseType, response) }
}

const inContent = (body: unknown, type: string | undefined, value: unknown): unknown => {
  if (!Predicate.isObject(body) || !Predicate.isObject(body["content"]) || type === undefined) return body
  const { content } = body
  const media = type in content ? type : "*/*"
  const given = content[media]
  if (!Predicate.isObject(given)) return body
  return { ...body, content: { ...content, [media]: { ...given, examples: { recorded: { value } } } } }
}

const mapValues = (given: object, change: (value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, change(value)]))
