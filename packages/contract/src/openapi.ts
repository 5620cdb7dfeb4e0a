import { Predicate } from "effect"
import { redactedHeader, replayedHeader } from "./Idempotency.ts"
import { metricSteps } from "./Metrics.ts"
import { withAllowances } from "./openapiLimits.ts"
import { pageLimits } from "./Page.ts"
import { presignLimits } from "./presignLimits.ts"

/** Adapts the generated document where it has to differ from the code. */
export const asContract = (spec: Record<string, unknown>): Record<string, unknown> =>
  withPlainNames(withOptionalBodies(withTypedQueries(withAllowances(wildcardAsPath(spec)))))

/**
 * Declares the `Idempotency-Key` of creating routes, and the headers of a
 * replayed response.
 *
 * @param creating in the document's form; only POSTs
 */
export const withIdempotencyKeys = (
  spec: Record<string, unknown>,
  creating: ReadonlySet<string>
): Record<string, unknown> => {
  const { paths } = spec
  if (!Predicate.isObject(paths)) return spec
  return {
    ...spec,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        creating.has(path) && Predicate.isObject(item) ? { ...item, post: repeatable(item["post"]) } : item
      ])
    )
  }
}

const repeatable = (operation: unknown): unknown => {
  if (!Predicate.isObject(operation)) return operation
  const { parameters, responses } = operation
  return {
    ...operation,
    parameters: [...(Array.isArray(parameters) ? parameters : []), idempotencyKey],
    responses: Predicate.isObject(responses)
      ? Object.fromEntries(
          Object.entries(responses).map(([status, response]) =>
            /^2\d\d$/.test(status) && Predicate.isObject(response)
              ? [status, { ...response, headers: { ...headersOf(response), ...repeatedHeaders } }]
              : [status, response]
          )
        )
      : responses
  }
}

const headersOf = ({ headers }: { readonly headers?: unknown }): object => (Predicate.isObject(headers) ? headers : {})

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "1 to 255 visible ASCII characters, in quotes or without, new for every request. The same request under the same " +
    "key is carried out once, and its answer repeated.",
  schema: { type: "string" }
}

const repeatedHeaders = {
  [replayedHeader]: {
    required: false,
    description: "The answer was given before, and nothing was carried out now.",
    schema: { type: "string", enum: ["true"] }
  },
  [redactedHeader]: {
    required: false,
    description: "The fields of a repeated answer that are null because a secret was there, separated by commas.",
    schema: { type: "string" }
  }
}

/** OpenAPI has no `*`: a catch-all becomes `{path}`, as in the contract, and is declared as a parameter. */
const wildcardAsPath = (spec: Record<string, unknown>): Record<string, unknown> => {
  const { paths } = spec
  if (!Predicate.isObject(paths)) return spec
  return {
    ...spec,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) =>
        path.endsWith("/*") && Predicate.isObject(item)
          ? [path.replace("/*", "/{path}"), { ...verbatim(item), parameters: [pathParameter] }]
          : [path, item]
      )
    )
  }
}

const pathParameter = {
  name: "path",
  in: "path",
  required: true,
  description: "Any number of segments, forwarded as sent.",
  schema: { type: "string" }
}

/**
 * Restores the types of query parameters: on the wire all are text, so the
 * generated document would call numbers and booleans strings.
 */
const withTypedQueries = (spec: Record<string, unknown>): Record<string, unknown> => {
  const { paths } = spec
  return Predicate.isObject(paths)
    ? { ...spec, paths: mapValues(paths, (item) => mapValues(item, typedParameters)) }
    : spec
}

const typedParameters = (operation: unknown): unknown =>
  Predicate.isObject(operation) && Array.isArray(operation["parameters"])
    ? { ...operation, parameters: operation["parameters"].map(typedParameter) }
    : operation

const typedParameter = (parameter: unknown): unknown => {
  if (!Predicate.isObject(parameter) || parameter["in"] !== "query") return parameter
  if (parameter["name"] === "limit") return { ...parameter, schema: pageLimit }
  if (parameter["name"] === "expires_in") return { ...parameter, schema: presignLifetime }
  if (parameter["name"] === "step") return { ...parameter, schema: metricStep }
  return isBoolean(parameter["schema"]) ? { ...parameter, schema: { type: "boolean", default: false } } : parameter
}

const pageLimit = {
  type: "integer",
  minimum: pageLimits.least,
  maximum: pageLimits.most,
  default: pageLimits.usual
}

const presignLifetime = {
  type: "integer",
  minimum: presignLimits.least,
  maximum: presignLimits.most,
  default: presignLimits.usual
}

const metricStep = { type: "integer", minimum: metricSteps.least, maximum: metricSteps.most }

const isBoolean = (schema: unknown): boolean =>
  Predicate.isObject(schema) && Array.isArray(schema["enum"]) && schema["enum"].join() === "true,false"

/** Declares an optional body as nullable: JSON has no other notation for a missing body. */
const withOptionalBodies = (spec: Record<string, unknown>): Record<string, unknown> => {
  const { paths } = spec
  return Predicate.isObject(paths)
    ? { ...spec, paths: mapValues(paths, (item) => mapValues(item, optionalBody)) }
    : spec
}

const optionalBody = (operation: unknown): unknown => {
  if (!Predicate.isObject(operation) || !Predicate.isObject(operation["requestBody"])) return operation
  const { content } = operation["requestBody"]
  const json = Predicate.isObject(content) ? content["application/json"] : undefined
  const schema = Predicate.isObject(json) ? json["schema"] : undefined
  const either = Predicate.isObject(schema) ? schema["anyOf"] : undefined
  if (!Array.isArray(either) || either.length !== 2 || !isNothing(either[1])) return operation
  return { ...operation, requestBody: { content: { "application/json": { schema: either[0] } }, required: false } }
}

const isNothing = (schema: unknown): boolean => Predicate.isObject(schema) && schema["type"] === "null"

const mapValues = (given: unknown, change: (value: unknown) => unknown): unknown =>
  Predicate.isObject(given)
    ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, change(value)]))
    : given

/** Any bytes of any type. */
const anything = { "*/*": {} }

const takeBodies = ["post", "put", "patch"]

/**
 * A catch-all returns what the service behind it returns: any status, in any
 * form. Only a 401 is always the gateway's own. For the other statuses that the
 * gateway also uses, the response may come from the service.
 */
const verbatim = (item: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item).map(([method, operation]) => {
      if (!Predicate.isObject(operation) || !Predicate.isObject(operation["responses"])) return [method, operation]
      const requestBody = { description: "Forwarded as sent.", required: false, content: anything }
      return [
        method,
        {
          ...operation,
          ...(takeBodies.includes(method) ? { requestBody } : {}),
          responses: {
            ...Object.fromEntries(
              Object.entries(operation["responses"]).map(([status, response]) =>
                status === "401" || !Predicate.isObject(response)
                  ? [status, response]
                  : [status, { ...response, description: orTheService(status, response), content: either(response) }]
              )
            ),
            default: { description: "The service's own answer, verbatim", content: anything }
          }
        }
      ]
    })
  )

const orTheService = (status: string, { description }: { readonly description?: unknown }): string =>
  status === "200" ? "The service's own answer, verbatim" : `${String(description)}, or the service's own answer`

/** Either the gateway's own body, where it has one, or whatever the service sends. */
const either = ({ content }: { readonly content?: unknown }): Record<string, unknown> => {
  const own = Predicate.isObject(content) ? content["application/json"] : undefined
  const schema = Predicate.isObject(own) ? own["schema"] : undefined
  if (!Predicate.isObject(schema)) return anything
  const bodies = "$ref" in schema ? [schema] : schema["anyOf"]
  return Array.isArray(bodies) ? { "application/json": { schema: { anyOf: [...bodies, {}] } }, ...anything } : anything
}

/**
 * Removes the suffix `Encoded` of error classes and the internals of streams,
 * which mean nothing to a reader of the document.
 */
const withPlainNames = (spec: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(spec).replaceAll(/Encoded"/g, '"'), (key, value: unknown) =>
    key === "x-effect-stream" ? undefined : value
  )
