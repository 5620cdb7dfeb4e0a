import { Result } from "effect"
import { isObject, type JsonObject, objectAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { applied, appliedNew } from "./apply.ts"
import { createFrom, type Written } from "./create.ts"
import { mediaTypeOf, ofKind, sized, yamlOf } from "./decode.ts"
import { jsonPatch, mergePatch } from "./jsonPatch.ts"
import { type Request, writerOf } from "./request.ts"
import { type Shape, shapeOf } from "./shapes.ts"
import type { Thing } from "./state.ts"
import { badRequest, forbiddenValue, invalidUnless, refuse, required } from "./status.ts"
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

const options = { group: "meta.k8s.io", kind: "PatchOptions" }

/** `PATCH` in any of its four formats; only an apply can create the object. */
export const patch = (request: Request): Step<Written & { readonly created: boolean }> =>
  Result.gen(function* () {
    const { incoming } = request
    yield* sized(incoming)
    const type = mediaTypeOf(incoming)
    if (!accepted(request).includes(type)) {
      return yield* refuse(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: " +
          accepted(request).join(", ")
      )
    }
    if (type === applyType) return yield* apply(request)
    if (incoming.query.get("force") !== null) {
      yield* invalidUnless(options, "", [forbiddenValue("force", "may not be specified for non-apply patch")])
    }
    const before = yield* current(request)
    const candidate = yield* patched(type, before, incoming.json, shapeOf(request.state, request.kind))
    return { ...(yield* replace(request, before, candidate)), created: false }
  })

const patched = (type: string, before: Thing, body: unknown, shape: Shape): Step<JsonObject> => {
  if (type === "application/json-patch+json") {
    const result = jsonPatch(before, body)
    if (Result.isFailure(result)) {
      return result.failure.malformed
        ? badRequest(result.failure.why)
        : refuse(422, "Invalid", "the server rejected our request due to an error in our request")
    }
    return isObject(result.success) ? Result.succeed(result.success) : badRequest("the patch leaves no object")
  }
  if (!isObject(body)) return badRequest("error decoding patch: json: cannot unmarshal into Go value of type map")
  return Result.succeed(type === strategicType ? strategicPatch(before, body, shape) : objectAt(mergePatch(before, body)))
}

const apply = (request: Request): Step<Written & { readonly created: boolean }> =>
  Result.gen(function* () {
    const { incoming, info, kind } = request
    if (!incoming.query.get("fieldManager")) {
      yield* invalidUnless(options, "", [required("fieldManager", "is required for apply patch")])
    }
    const body = yamlOf(incoming.body)
    if (!isObject(body)) return yield* badRequest("error decoding YAML: the body is no object")
    const config = yield* ofKind(body, kind)
    const metadata = objectAt(config, "metadata")
    if (metadata["managedFields"] !== undefined) return yield* badRequest("metadata.managedFields must be nil")
    const name = stringAt(metadata, "name") ?? info.name
    if (name !== info.name) {
      return yield* badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`)
    }
    const writer = writerOf(request, "Apply")
    const shape = shapeOf(request.state, kind)
    const before = stored(request)
    if (before === undefined) {
      if (info.subresource !== "") yield* current(request)
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
