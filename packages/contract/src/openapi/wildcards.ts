import { Predicate } from "effect"
import { type Json, listOf, mapValues, type Spec, textAt, withPaths } from "./tree.ts"

/** OpenAPI has no `*`: a catch-all becomes `{path}`, as in the contract, and is declared as a parameter. */
export const wildcardAsPath = (spec: Spec): Spec =>
  withPaths(spec, (path, item) =>
    path.endsWith("/*")
      ? [path.replace("/*", "/{path}"), { ...verbatim(item), parameters: [pathParameter] }]
      : [path, item]
  )

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
const verbatim = (item: Json): object =>
  mapValues(item, (operation, method) => {
    if (!Predicate.isObject(operation) || !Predicate.isObject(operation["responses"])) return operation
    const requestBody = { description: "Forwarded as sent.", required: false, content: anything }
    const responses = mapValues(operation["responses"], (response, status) =>
      status === "401" || !Predicate.isObject(response)
        ? response
        : { ...response, description: orTheService(status, response), content: either(response) }
    )
    return {
      ...operation,
      ...(takeBodies.includes(method) ? { requestBody } : {}),
      responses: { ...responses, default: { description: ofTheService, content: anything } }
    }
  })

const ofTheService = "The response of the service, unchanged."

const orTheService = (status: string, response: Json): string =>
  status === "200"
    ? ofTheService
    : `${textAt(response, "description")} A response of the service can have this status too.`

/** The schema of a body that the gateway only forwards. */
const unknownBody = { description: "The body of the service's own response." }

/** Either the gateway's own body, where it has one, or whatever the service sends. */
const either = ({ content }: Json): object => {
  const own = Predicate.isObject(content) ? content["application/json"] : undefined
  const schema = Predicate.isObject(own) ? own["schema"] : undefined
  if (!Predicate.isObject(schema)) return anything
  const bodies = "$ref" in schema ? [schema] : listOf(schema["anyOf"])
  if (bodies.length === 0) return anything
  return { "application/json": { schema: { anyOf: [...bodies, unknownBody] } }, ...anything }
}
