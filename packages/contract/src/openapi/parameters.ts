import { Predicate, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { OperatorApi } from "../Api.ts"
import { streamSeconds } from "../EventRoutes.ts"
import { redactedHeader, replayedHeader } from "../Idempotency.ts"
import { metricSteps } from "../Metrics.ts"
import { pageLimits } from "../Page.ts"
import { momentSchema } from "../PointInTime.ts"
import { presignLimits } from "../presignLimits.ts"
import { componentOf, type Json, listOf, mapValues, type Spec, textAt, withOperations, withPaths } from "./tree.ts"

/**
 * Declares the `Idempotency-Key` of creating routes, and the headers of a
 * replayed response.
 *
 * @param creating in the document's form; only POSTs
 */
export const withIdempotencyKeys = (spec: Spec, creating: ReadonlySet<string>): Spec =>
  withPaths(spec, (path, item) => [path, creating.has(path) ? { ...item, post: repeatable(item["post"]) } : item])

const repeatable = (operation: unknown): unknown =>
  Predicate.isObject(operation)
    ? {
        ...operation,
        parameters: [...listOf(operation["parameters"]), idempotencyKey],
        responses: mapValues(operation["responses"], (response, status) =>
          /^2\d\d$/.test(status) && Predicate.isObject(response)
            ? { ...response, headers: { ...headersOf(response), ...repeatedHeaders } }
            : response
        )
      }
    : operation

const objectOf = (value: unknown): object => (Predicate.isObject(value) ? value : {})

const headersOf = ({ headers }: Json): object => objectOf(headers)

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "1 to 255 visible ASCII characters, in quotes or without, new for every request; a UUID will do. The gateway " +
    "carries out the same request under the same key once, and repeats its response for 24 hours.",
  schema: {
    type: "string",
    pattern: '^(?:[!#-~][!-~]{0,254}|"(?:[!#-[\\]-~]|\\\\["\\\\]){1,255}")$'
  }
}

const repeatedHeaders = {
  [replayedHeader]: {
    required: false,
    description: "`true`: this is the response to an earlier request under the same key; nothing was carried out now.",
    schema: { type: "string", enum: ["true"] }
  },
  [redactedHeader]: {
    required: false,
    description: "The fields of a repeated response that are null in place of a secret, separated by commas.",
    schema: { type: "string" }
  }
}

/** Moves what is said of a parameter from its schema to the parameter, where pages and generators look for it. */
export const withParameterDescriptions = (spec: Spec): Spec =>
  withParameters(spec, (parameter, operation) => {
    if (textAt(parameter, "description") !== undefined || !Predicate.isObject(parameter["schema"])) return parameter
    const { description: own, ...schema } = parameter["schema"]
    const declared = keyDescriptions.get(`${textAt(operation, "operationId")} ${textAt(parameter, "name")}`)
    const description = own ?? declared ?? textAt(componentOf(spec, schema), "description")
    return description === undefined ? parameter : { ...parameter, schema, description }
  })

/**
 * What the declarations say of query parameters, by operation and name. The
 * generator says it only of those that have the same type on the wire.
 */
const keyDescriptions: ReadonlyMap<string, string> = (() => {
  const found = new Map<string, string>()
  HttpApi.reflect(OperatorApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      for (const { name, type } of propertiesOf(endpoint)) {
        const description = type.context?.annotations?.["description"]
        const operation = `${group.identifier}.${endpoint.identifier}`
        if (Predicate.isString(description)) found.set(`${operation} ${String(name)}`, description)
      }
    }
  })
  return found
})()

function propertiesOf({ query }: HttpApiEndpoint.Top) {
  return query !== undefined && SchemaAST.isObjects(query.ast) ? query.ast.propertySignatures : []
}

const withParameters = (spec: Spec, change: (parameter: Json, operation: Json) => unknown): Spec =>
  withOperations(spec, (operation) => ({
    ...operation,
    parameters: listOf(operation["parameters"]).map((_) => (Predicate.isObject(_) ? change(_, operation) : _))
  }))

/**
 * Restores the types of query parameters: on the wire all are text, so the
 * generated document would call numbers, booleans and moments strings of any kind.
 */
export const withTypedQueries = (spec: Spec): Spec =>
  withParameters(spec, (parameter, operation) => {
    const name = String(parameter["name"])
    const text = texts.get(`${String(parameter["in"])} ${name}`)
    if (text !== undefined) return { ...parameter, schema: { ...objectOf(parameter["schema"]), ...text } }
    if (parameter["in"] !== "query") return parameter
    const schema = numbers.get(name)
    if (schema !== undefined) return { ...parameter, schema }
    const isFlag = flags.has(`${textAt(operation, "operationId")} ${name}`)
    return isFlag ? { ...parameter, schema: { type: "boolean", default: false } } : parameter
  })

const bounded = (limits: { readonly least: number; readonly most: number; readonly usual?: number }) => ({
  type: "integer",
  minimum: limits.least,
  maximum: limits.most,
  ...(limits.usual === undefined ? {} : { default: limits.usual })
})

/** The parameters that are numbers, by name, whatever the operation. */
const numbers: ReadonlyMap<string, object> = new Map([
  ["limit", bounded(pageLimits)],
  ["expires_in", bounded(presignLimits)],
  ["step", bounded(metricSteps)],
  ["timeout_seconds", bounded(streamSeconds)]
])

const cursor = { type: "string", pattern: "^[A-Za-z0-9_-]+$" }

/** The parameters that are text of one form, by place and name, whatever the operation. */
const texts: ReadonlyMap<string, object> = new Map([
  ["query since", momentSchema],
  ["query until", momentSchema],
  ["query cursor", cursor],
  ["header last-event-id", cursor]
])

/** The query parameters that are flags, by operation and name. */
const flags: ReadonlySet<string> = (() => {
  const found = new Set<string>()
  HttpApi.reflect(OperatorApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      for (const { name, type } of propertiesOf(endpoint)) {
        const isFlag = SchemaAST.isBoolean(SchemaAST.toType(type))
        if (isFlag) found.add(`${group.identifier}.${endpoint.identifier} ${String(name)}`)
      }
    }
  })
  return found
})()
