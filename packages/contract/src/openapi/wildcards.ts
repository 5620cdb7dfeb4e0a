import { Predicate } from "effect"
import { type Json, listOf, mapValues, type Spec, textAt, withPaths } from "./tree.ts"

/** OpenAPI has no `*`: a catch-all becomes `{path}`, as in the contract, and is declared as a parameter. */
export const wildcardAsPath = (spec: Spec): Spec =>
  withPaths(spec, (path, item) =>
    path.endsWith("/*")
      ? [path.replace("/*", "/{path}"), { ...verbatim(item, path === iaas), parameters: [pathParameter] }]
      : [path, item]
  )

/** The route that clients of OpenStack call too. */
const iaas = "/v1/iaas/*"

const pathParameter = {
  name: "path",
  in: "path",
  required: true,
  description: "The rest of the path: any number of segments, forwarded as sent.",
  schema: { type: "string" }
}

/** Any bytes of any type. */
const anything = { "*/*": {} }

const takeBodies = ["post", "put", "patch"]

/**
 * A catch-all returns what the service behind it returns: any status, in any
 * form. Only a 401 is always the gateway's own. For the other statuses that the
 * gateway also uses, the response may come from the service.
 */
const verbatim = (item: Json, isIaas: boolean): object =>
  mapValues(item, (operation, method) => {
    if (!Predicate.isObject(operation) || !Predicate.isObject(operation["responses"])) return operation
    const requestBody = { description: "Forwarded as sent.", required: false, content: anything }
    const responses = mapValues(operation["responses"], (response, status) =>
      !Predicate.isObject(response)
        ? response
        : status === "401"
          ? { ...response, ...(isIaas ? { content: withKeystoneError(response) } : {}) }
          : { ...response, description: orTheService(status, response), content: either(response) }
    )
    return {
      ...operation,
      ...(takeBodies.includes(method) ? { requestBody } : {}),
      responses: { ...responses, default: { description: ofTheService, content: anything } }
    }
  })

/** A call without `Authorization` may be one of a client of OpenStack, which looks for the message in `error`. */
const withKeystoneError = (response: Json): object => {
  const schema = {
    type: "object",
    description: "The failure of a call without an `Authorization` header.",
    properties: {
      error: keystoneError,
      detail: {
        type: "string",
        description: "The message of the failure, for people. Programs decide by the status and `code`."
      },
      code: { type: "string", enum: codesOf(response), description: "The stable name of the failure, for programs." }
    },
    required: ["error", "detail", "code"],
    additionalProperties: false
  }
  return { "application/json": { schema: { anyOf: [...bodiesOf(response), schema] } } }
}

const keystoneError = {
  type: "object",
  description: "The failure as Keystone states its own, for clients of OpenStack.",
  properties: {
    code: { type: "integer", enum: [401], description: "The status." },
    message: { type: "string", description: "The same as `detail`." },
    title: { type: "string", enum: ["Unauthorized"], description: "The name of the status." }
  },
  required: ["code", "message", "title"],
  additionalProperties: false
}

/** The codes of a response's failures, each of which is a component of that name. */
const codesOf = (response: Json): ReadonlyArray<string> =>
  bodiesOf(response).flatMap((_) => (Predicate.isObject(_) ? (textAt(_, "$ref")?.split("/").slice(-1) ?? []) : []))

const ofTheService = "The response of the service, unchanged."

const orTheService = (status: string, response: Json): string =>
  status === "200"
    ? ofTheService
    : `${textAt(response, "description")} A response of the service can have this status too.`

/** The schema of a body that the gateway only forwards. */
const unknownBody = { description: "The body of the service's own response." }

/** Either the gateway's own body, where it has one, or whatever the service sends. */
const either = (response: Json): object => {
  const bodies = bodiesOf(response)
  if (bodies.length === 0) return anything
  return { "application/json": { schema: { anyOf: [...bodies, unknownBody] } }, ...anything }
}

/** The schemas of the bodies that a response may have. */
const bodiesOf = ({ content }: Json): ReadonlyArray<unknown> => {
  const own = Predicate.isObject(content) ? content["application/json"] : undefined
  const schema = Predicate.isObject(own) ? own["schema"] : undefined
  if (!Predicate.isObject(schema)) return []
  return "$ref" in schema ? [schema] : listOf(schema["anyOf"])
}
