import { Result } from "effect"
import { isObject, type JsonObject, objectAt, stringAt } from "../Json.ts"
import type { Incoming, Step } from "../Wire.ts"
import { applied, appliedNew } from "./apply.ts"
import { checkTypes } from "./applyTypes.ts"
import { conform } from "./conform.ts"
import { createFrom, type Written } from "./create.ts"
import { mediaTypeOf, ofKind, sized, yamlOf } from "./decode.ts"
import { goPrint } from "./goPrint.ts"
import { jsonPatch, mergePatch } from "./jsonPatch.ts"
import type { Kind } from "./kinds.ts"
import { type Request, writerOf } from "./request.ts"
import { type Shape, shapeOf } from "./shapes.ts"
import type { Thing } from "./state.ts"
import { notAnObject } from "./jsonErrors.ts"
import { checkOptions } from "./options.ts"
import { badRequest, forbiddenValue, invalidUnless, invalidValue, refuse, requiredIf } from "./status.ts"
import { keyless, strategicPatch } from "./strategicMergePatch.ts"
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
    const candidate = yield* patched(type, request, before, incoming)
    return { ...(yield* replace(request, before, candidate)), created: false }
  })

const patched = (type: string, { kind, state }: Request, before: Thing, incoming: Incoming): Step<JsonObject> => {
  const { json: body } = incoming
  const shape = shapeOf(state, kind)
  if (type === "application/json-patch+json") {
    const result = jsonPatch(before, body)
    if (Result.isFailure(result)) {
      return result.failure.malformed
        ? badRequest(result.failure.why)
        : refuse(422, "Invalid", "the server rejected our request due to an error in our request", {})
    }
    return isObject(result.success) ? readable(kind, shape, result.success) : badRequest("the patch leaves no object")
  }
  if (!isObject(body)) {
    return badRequest(`error decoding patch: ${notAnObject(new TextDecoder().decode(incoming.body), body)}`)
  }
  if (type !== strategicType) return readable(kind, shape, objectAt(mergePatch(before, body)))
  const bare = keyless(body, shape)
  return bare === undefined ? readable(kind, shape, strategicPatch(before, body, shape), body) : refuse(500, "", bare)
}

/** A patched object that does not decode is refused as a patch, and not as an object. */
const readable = (kind: Kind, shape: Shape, candidate: JsonObject, strategic?: JsonObject): Step<JsonObject> => {
  const error = kind.custom ? undefined : conform(shape, candidate).error
  if (error === undefined) return Result.succeed(candidate)
  const type = / of type (\S+)$/.exec(error)?.[1] ?? ""
  const cause =
    strategic === undefined
      ? invalidValue("patch", JSON.stringify(candidate), error)
      : invalidValue("patch", goPrint(strategic), `unrecognized type: ${type}`)
  return Result.map(invalidUnless({ group: "", kind: "" }, "", [cause]), () => candidate)
}

const apply = (request: Request): Step<Written & { readonly created: boolean }> =>
  Result.gen(function* () {
    const { incoming, info, kind } = request
    const body = yamlOf(incoming.body)
    if (!isObject(body)) return yield* badRequest("error decoding YAML: error converting YAML to JSON: yaml: no object")
    const { apiVersion, kind: named } = body
    if (!apiVersion || !named) {
      const version = String(apiVersion ?? "") || "/"
      return yield* badRequest(`invalid object type: ${version}, Kind=${String(named ?? "")}`)
    }
    const config = yield* ofKind(body, kind)
    const metadata = objectAt(config, "metadata")
    if (metadata["managedFields"] !== undefined) return yield* badRequest("metadata.managedFields must be nil")
    const name = stringAt(metadata, "name") ?? info.name
    const writer = writerOf(request, "Apply")
    const shape = shapeOf(request.state, kind)
    yield* checkTypes(shape, config)
    yield* convertible(kind, shape, config)
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

/** An applied object whose values have the right types, and are not what they should be: quantities, for one. */
const convertible = (kind: Kind, shape: Shape, config: JsonObject): Step<void> => {
  const error = kind.custom ? undefined : conform(shape, config).error
  if (error === undefined) return Result.void
  const { name, namespace = "" } = objectAt(config, "metadata")
  const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`
  const object = `(${String(namespace)}/${String(name)}; ${type})`
  return refuse(
    500,
    "",
    `failed to convert new object ${object} to proper version: unable to convert unstructured object to ${type}: ${error}`
  )
}

/** An apply with a resource version succeeds only while that version is current. */
const versionOf = (metadata: JsonObject): JsonObject => {
  const resourceVersion = stringAt(metadata, "resourceVersion")
  return resourceVersion === undefined ? {} : { resourceVersion }
}
