import { Result } from "effect"
import { type Answer, empty, type Incoming, json, type Routes, type Step } from "../Wire.ts"
import { toSeconds } from "../times.ts"
import { bodyOf, contentType, issue, refuse } from "./answers.ts"
import { isBinaryType, isTextType, liveSecrets, newSecret, tooBig } from "./newSecret.ts"
import {
  adminOrCreator,
  allButAudit,
  call,
  mayDecrypt,
  mayFill,
  mayManage,
  mayRead,
  permit,
  permitted,
  type Request,
  versionOf
} from "./policy.ts"
import { oneMore } from "./quotas.ts"
import { find, oldestFirst, pageOf, refOf } from "./refs.ts"
import type { Secret } from "./state.ts"

export const findSecret = (request: Request): Step<Secret> =>
  find(request, liveSecrets(request.barbican, request.incoming.now), "Secret")

export const showSecret = (incoming: Incoming, secret: Secret) => ({
  secret_ref: refOf(incoming, "secrets", secret.id),
  name: secret.name,
  secret_type: secret.secret_type,
  status: "ACTIVE",
  algorithm: secret.algorithm,
  bit_length: secret.bit_length,
  mode: secret.mode,
  expiration: secret.expiration === null ? null : toSeconds(secret.expiration),
  creator_id: secret.creator_id,
  created: toSeconds(secret.created),
  updated: toSeconds(secret.updated),
  ...(secret.content_type === null ? {} : { content_types: { default: plain(secret.content_type) } }),
  // Microversion 1.1 adds the consumers.
  ...(versionOf(incoming) === "1.1"
    ? {
        consumers: secret.consumers.map(({ resource_id, resource_type, service }) => ({
          service,
          resource_type,
          resource_id
        }))
      }
    : {})
})

/** All text types are shown as one media type. */
const plain = (type: string): string => (isTextType(type) ? "text/plain" : type)

const list = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    yield* permit(request, "Secret(s) retrieval", allButAudit)
    yield* sortable(request.incoming)
    const { barbican, incoming, scope } = request
    const { query } = incoming
    const shared = /^true$/i.test(query.get("acl_only") ?? "")
    const is = (key: string, value: string | null) => !query.get(key) || query.get(key) === value
    const bits = query.get("bits") ?? ""
    const found = Object.values(liveSecrets(barbican, incoming.now))
      .filter((_) => (shared ? (_.acl?.users.includes(scope.userId) ?? false) : _.project_id === scope.projectId))
      .filter(
        (_) => is("name", _.name) && is("alg", _.algorithm) && is("mode", _.mode) && is("secret_type", _.secret_type)
      )
      // Ignores a value that is 0 or not a number.
      .filter((_) => !/^[1-9]\d*$/.test(bits) || _.bit_length === Number(bits))
      .toSorted(oldestFirst)
    return json(
      200,
      pageOf(
        request,
        "secrets",
        "secrets",
        found.map((_) => showSecret(incoming, _))
      )
    )
  })

const sortKeys = new Set(["created", "expiration", "mode", "name", "secret_type", "status", "updated"])

/** The sort keys. The service validates them, but always keeps the same order. */
const sortable = ({ query }: Incoming): Step<void> =>
  (query.get("sort") ?? "")
    .split(",")
    .every((_) => _ === "" || (sortKeys.has(_.split(":")[0] ?? "") && /^[^:]*(:(asc|desc))?$/.test(_)))
    ? Result.void
    : refuse(400, "URI provided invalid query string parameters.")

const create = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const operation = "Secret creation"
    const { barbican, incoming, scope } = request
    yield* permit(request, operation, adminOrCreator)
    const given = yield* bodyOf(incoming, operation, "Secret")
    const made = { project_id: scope.projectId, creator_id: scope.userId }
    const secret = yield* newSecret(operation, given, incoming.now, made)
    const held = Object.values(barbican.secrets).filter((_) => _.project_id === scope.projectId).length
    yield* oneMore(request, operation, "secrets", held)
    barbican.secrets[secret.id] = secret
    const secret_ref = refOf(incoming, "secrets", secret.id)
    return json(201, { secret_ref }, { location: secret_ref })
  })

/**
 * Without `Accept`, or with exactly one of these two, the answer is the metadata; with any other value, an empty
 * one included, it is the payload.
 */
const wantsMetadata = ({ headers }: Incoming): boolean =>
  [undefined, "*/*", "application/json"].includes(headers["accept"])

const show = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const secret = yield* findSecret(request)
    const { incoming } = request
    if (!wantsMetadata(incoming)) return yield* decrypt(request, "Secret retrieval", secret)
    yield* permitted(request, "Secret retrieval", mayRead, Result.succeed(secret))
    return json(200, showSecret(incoming, secret))
  })

/**
 * The payload in the media type of `Accept`, by default as bytes. A stored text can be read as bytes, and bytes
 * that are valid text as text.
 */
const decrypt = (request: Request, operation: string, secret: Secret): Step<Answer> =>
  Result.gen(function* () {
    yield* permitted(request, operation, mayDecrypt, Result.succeed(secret))
    if (secret.payload === null) return yield* refuse(404, "Not Found. Sorry but your secret has no payload.")
    const accept = request.incoming.headers["accept"] || "application/octet-stream"
    const bytes = Buffer.from(secret.payload, "base64")
    if (!isTextType(accept) && !isBinaryType(accept)) {
      return yield* issue(406, operation, "Wrong payload content-type")
    }
    if (isTextType(accept) && !isUtf8(bytes)) {
      return yield* issue(406, operation, `Accept '${accept}' is not supported`)
    }
    const type = isTextType(accept) ? "text/plain; charset=UTF-8" : accept
    return { status: 200, headers: { "content-type": type }, body: new Uint8Array(bytes) }
  })

const isUtf8 = (bytes: Buffer): boolean => Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes)

const fill = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const operation = "Secret update"
    const { incoming } = request
    const secret = yield* permitted(request, operation, mayFill, findSecret(request))
    const type = yield* contentType(incoming, ["application/octet-stream", "text/plain"])
    if (incoming.body.length === 0) return yield* issue(400, operation, "No data supplied to process.")
    yield* tooBig(operation, incoming.body.length)
    if (secret.payload !== null) return yield* refuse(409, "Secret already has data, cannot modify it.")
    const encoded = incoming.headers["content-encoding"] === "base64"
    const text = Buffer.from(incoming.body)
    secret.payload = (encoded ? Buffer.from(text.toString("latin1"), "base64") : text).toString("base64")
    secret.content_type = type
    secret.updated = incoming.now
    return empty(204)
  })

const remove = (request: Request): Step<Answer> =>
  Result.map(permitted(request, "Secret deletion", mayManage, findSecret(request)), ({ id }) => {
    delete request.barbican.secrets[id]
    return empty(204)
  })

export const secretRoutes: Routes = {
  "GET /v1/secrets": call(list),
  "POST /v1/secrets": call(create),
  "GET /v1/secrets/:id": call(show),
  "PUT /v1/secrets/:id": call(fill),
  "DELETE /v1/secrets/:id": call(remove),
  "GET /v1/secrets/:id/payload": call((request) =>
    Result.flatMap(findSecret(request), (_) => decrypt(request, "Secret payload retrieval", _))
  )
}
