import { Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, HttpApiMiddleware, HttpApiSchema } from "effect/http-api"
import { CurrentCaller } from "./Access.ts"
import { failures } from "./Failures.ts"

/**
 * The header that makes a creating call repeatable, in the lower case of
 * `Headers` (draft-ietf-httpapi-idempotency-key-header).
 */
export const idempotencyKeyHeader = "idempotency-key"

/** `true` on a replayed response. */
export const replayedHeader = "idempotent-replayed"

/** On a replayed response that had secrets: the fields that are null this time, separated by commas. */
export const redactedHeader = "idempotency-redacted"

/**
 * A POST that creates something. With an `Idempotency-Key`, the same request of
 * the same caller is carried out once, and its response replayed. This
 * middleware is the innermost, because a response is not replayed to a caller
 * without the rights for the call.
 */
export class Creates extends HttpApiMiddleware.Service<Creates, { requires: CurrentCaller }>()(
  "portico/contract/Creates",
  { error: failures("replay_refused", "idempotency_in_flight", "validation_error", "idempotency_key_reused") }
) {}

const oneTime = "OneTimeSecret"

/** A secret that one response contains. It is not stored, so a replay of the response has null in its place. */
export const OneTime = Schema.NullOr(Schema.String).annotate({
  identifier: oneTime,
  description: "Shown once. Null in an answer that is repeated for an Idempotency-Key."
})

/** The path from a response body to a field; `*` stands for each item of a list. */
export type FieldPath = ReadonlyArray<string>

/** The paths of the {@link OneTime} secrets in the success responses of an endpoint. */
export const oneTimeFields = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<FieldPath> => {
  const bodies = [...endpoint.success].map((_) => (HttpApiSchema.isWithHeaders(_) ? _.schema : _))
  const paths = bodies.flatMap((_) => fieldsIn(SchemaAST.toEncoded(_.ast), []))
  return [...new Map(paths.map((_) => [_.join("."), _])).values()]
}

const fieldsIn = (ast: SchemaAST.AST, at: FieldPath): ReadonlyArray<FieldPath> => {
  if (ast.annotations?.["identifier"] === oneTime) return [at]
  if (SchemaAST.isObjects(ast)) {
    return ast.propertySignatures.flatMap(({ name, type }) => fieldsIn(type, [...at, String(name)]))
  }
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest].flatMap((_) => fieldsIn(_, [...at, "*"]))
  return SchemaAST.isUnion(ast) ? ast.types.flatMap((_) => fieldsIn(_, at)) : []
}

/** The routes of an API that take an `Idempotency-Key`, in OpenAPI form: `/v1/credentials/{credential_id}/rotate`. */
export const creatingRoutes = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlySet<string> => {
  const found = new Set<string>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      if ([...middleware].some((_) => _.key === Creates.key)) {
        found.add(endpoint.path.replaceAll(/:([a-z_]+)/g, "{$1}"))
      }
    }
  })
  return found
}
