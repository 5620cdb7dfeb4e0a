import { Result } from "effect"
import { isObject, type JsonObject, objectAt, stringAt } from "../Json.ts"
import type { Incoming, Step } from "../Wire.ts"
import { applied, appliedNew } from "./apply.ts"
import { createFrom, type Written } from "./create.ts"
import { mediaTypeOf, ofKind, sized, yamlOf } from "./decode.ts"
import { jsonPatch, mergePatch } from "./jsonPatch.ts"
import { type Request, writerOf } from "./request.ts"
import { type Shape, shapeOf } from "./shapes.ts"
import type { Thing } from "./state.ts"
import { notAnObject } from "./jsonErrors.ts"
import { checkOptions } from "./options.ts"
import { badRequest, forbiddenValue, refuse, requiredIf } from "./status.ts"
import { strategicPatch } from "./strategicMergePatch.ts"
import { current, replace, stored } from "./update.ts"

const applyType = "application/apply-patch+yaml"
const strategicType = "application/strategic-merge-patch+json"

const accepted = ({ kind }: Request): ReadonlyArray<string> => [
  "application/json-patch+json",
  "application/merge-patch+json",
  ...(kind.custom ? [] : [strategicType]),
  applyType
]

/** `PATCH` in any of its four formats; only an apply can create the object. */
export const patch = (request: Request): Step<Written & { readonly created: boolean }> =>
  Result.gen(function* () {
    const { incoming } = request
    yield* sized(incoming)
    const type = mediaTypeOf(incoming)
    if (!accepted(request).includes(type)) {
      return yield* request.kind.custom
        ? refuse(
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: " +
              accepted(request).join(", ")
          )
        : refuse(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})
    }
    const { query } = incoming
    yield* checkOptions(query, "PatchOptions", [
      ...requiredIf(type === applyType && !query.get("fieldManager"), "fieldManager", "is required for apply patch"),
      ...(type !== applyType && query.get("force") !== null
        ? [forbiddenValue("force", "may not be specified for non-apply patch")]
        : [])
    ])
    if (type === applyType) return yield* apply(request)
    const before = yield* current(request)
    const candidate = yield* patched(type, before, incoming, shapeOf(request.state, request.kind))
    return { ...(yield* replace(request, before, candidate)), created: false }
  })

const patched = (
  type: string,
  before: Thing,
  { body: bytes, json: body }: Incoming,
  shape: Shape
): Step<JsonObject> => {
  const text = new TextDecoder().decode(bytes)
  if (type === "application/json-patch+json") {
    const result = jsonPatch(before, body)
    if (Result.isFailure(result)) {
      return result.failure.malformed
        ? badRequest(result.failure.why)
        : refuse(422, "Invalid", "the server rejected our request due to an error in our request", {})
    }
    return isObject(result.success) ? Result.succeed(result.success) : badRequest("the patch leaves no object")
  }
  if (!isObject(body)) return badRequest(`error decoding patch: ${notAnObject(text, body)}`)
  return Result.succeed(
    type === strategicType ? strategicPatch(before, body, shape) : objectAt(mergePatch(before, body))
  )
}

const apply = (request: Request): Step<Written & { readonly created: boolean }> =>
  Result.gen(function* () {
    const { incoming, info, kind } = request
    const body = yamlOf(incoming.body)
    if (!isObject(body)) return yield* badRequest("error decoding YAML: the body is no object")
    const config = yield* ofKind(body, kind)
    const metadata = objectAt(config, "metadata")
    if (metadata["managedFields"] !== undefined) return yield* badRequest("metadata.managedFields must be nil")
    const name = stringAt(metadata, "name") ?? info.name
    const writer = writerOf(request, "Apply")
    const shape = shapeOf(request.state, kind)
    const before = stored(request)
    if (before === undefined) {
      if (info.subresource !== "") yield* current(request)
      if (name !== info.name) {
        return yield* badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`)
      }
      const named = { ...config, metadata: { ...metadata, name } }
      const made = yield* createFrom(request, named, (_) => appliedNew(_, config, shape, writer))
      return { ...made, created: true }
    }
    const force = incoming.query.get("force") === "true"
    const after = yield* applied(before, config, { shape, force, writer })
    const { managedFields } = after.metadata
    const given = { ...after, metadata: { ...after.metadata, ...versionOf(metadata) } }
    return { ...(yield* replace(request, before, given, managedFields)), created: false }
  })

/** An apply with a resource version succeeds only while that version is current. */
const versionOf = (metadata: JsonObject): JsonObject => {
  const resourceVersion = stringAt(metadata, "resourceVersion")
  return resourceVersion === undefined ? {} : { resourceVersion }
}
