import { Result } from "effect"
import { has, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { bodyOf, issue, schemaViolation, refuse } from "./answers.ts"
import { call, type EntityRule, mayManage, mayRead, permitted, type Request } from "./policy.ts"
import { refOf } from "./refs.ts"
import { findSecret } from "./secrets.ts"
import type { Secret } from "./state.ts"

const isSafe = (key: string): boolean => /^[A-Za-z0-9_-]*$/.test(key)

type MetadataHandler = (request: Request, secret: Secret, operation: string) => Step<Answer>

const ofSecret = (rule: EntityRule) => (operation: string, handler: MetadataHandler) =>
  call((request) =>
    Result.flatMap(permitted(request, operation, rule, findSecret(request)), (_) => handler(request, _, operation))
  )

const reading = ofSecret(mayRead)

const writing = ofSecret(mayManage)

/** Replaces everything. Keys are written in lower case. */
const replace = ({ incoming }: Request, secret: Secret, operation: string): Step<Answer> =>
  Result.gen(function* () {
    const given = yield* bodyOf(incoming, operation, "SecretMetadata")
    if (!has(given, "metadata")) {
      return yield* schemaViolation("SecretMetadata", "'metadata' is a required property", "metadata")
    }
    const written: Record<string, string> = {}
    for (const [key, value] of Object.entries(objectAt(given, "metadata"))) {
      if (!isSafe(key)) return yield* issue(400, operation, "Invalid Key. Key must be URL safe.")
      if (typeof value !== "string") {
        return yield* issue(400, operation, "Invalid Metadata. Keys and Values must be Strings.")
      }
      written[key.toLowerCase()] = value
    }
    secret.metadata = written
    return json(201, { metadata_ref: `${refOf(incoming, "secrets", secret.id)}/metadata` })
  })

const pairOf = ({ incoming }: Request, operation: string): Step<{ readonly key: string; readonly value: string }> =>
  Result.gen(function* () {
    const given = yield* bodyOf(incoming, operation, "SecretMetadatum")
    const [key, value] = [stringAt(given, "key"), stringAt(given, "value")]
    if (key === undefined || value === undefined || Object.keys(given).length > 2) {
      const missing = key === undefined ? "key" : "value"
      return yield* schemaViolation("SecretMetadatum", `'${missing}' is a required property`, missing)
    }
    if (!isSafe(key)) return yield* issue(400, operation, "Invalid Key. Key must be URL safe.")
    return { key: key.toLowerCase(), value }
  })

const add = (request: Request, secret: Secret, operation: string): Step<Answer> =>
  Result.gen(function* () {
    const pair = yield* pairOf(request, operation)
    if (Object.hasOwn(secret.metadata, pair.key)) {
      return yield* refuse(409, "Conflict. Key in request is already in the secret metadata")
    }
    secret.metadata = { ...secret.metadata, [pair.key]: pair.value }
    return json(201, pair, { location: `${refOf(request.incoming, "secrets", secret.id)}/metadata/${pair.key}` })
  })

const notFound = refuse(404, "Secret metadata not found.")

const keyOf = ({ incoming }: Request): string => incoming.params["key"] ?? ""

const update = (request: Request, secret: Secret, operation: string): Step<Answer> =>
  Result.gen(function* () {
    const pair = yield* pairOf(request, operation)
    if (!Object.hasOwn(secret.metadata, keyOf(request))) return yield* notFound
    if (pair.key !== keyOf(request)) {
      return yield* refuse(409, "Key in request data does not match key in the request url.")
    }
    secret.metadata = { ...secret.metadata, [pair.key]: pair.value }
    return json(200, pair)
  })

const remove = (request: Request, secret: Secret): Step<Answer> => {
  const { [keyOf(request)]: held, ...rest } = secret.metadata
  if (held === undefined) return notFound
  secret.metadata = rest
  return Result.succeed(empty(204))
}

export const metadataRoutes: Routes = {
  "GET /v1/secrets/:id/metadata": reading("Secret metadata retrieval", (_, { metadata }) =>
    Result.succeed(json(200, { metadata }))
  ),
  "PUT /v1/secrets/:id/metadata": writing("Secret metadata creation", replace),
  "POST /v1/secrets/:id/metadata": writing("Secret metadatum creation", add),
  "GET /v1/secrets/:id/metadata/:key": reading("Secret metadatum retrieval", (request, { metadata }) => {
    const key = keyOf(request)
    return Object.hasOwn(metadata, key) ? Result.succeed(json(200, { key, value: metadata[key] })) : notFound
  }),
  "PUT /v1/secrets/:id/metadata/:key": writing("Secret metadatum update", update),
  "DELETE /v1/secrets/:id/metadata/:key": writing("Secret metadatum removal", remove)
}
