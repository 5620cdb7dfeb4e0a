import { Result } from "effect"
import { parseDocument } from "yaml"
import { isObject, type JsonObject, parseJson } from "../Json.ts"
import type { Incoming, Step } from "../Wire.ts"
import { definitionOf } from "./customResources.ts"
import { defaulted } from "./defaults.ts"
import { apiVersionOf, type Kind, resourceOf } from "./kinds.ts"
import { known } from "./unknownFields.ts"
import type { Request } from "./request.ts"
import { pruned } from "./schema.ts"
import { badRequest, refuse } from "./status.ts"

/** The maximum size of a request, in bytes. */
const bodyLimit = 3 * 1024 * 1024

export const mediaTypeOf = ({ headers }: Incoming): string =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

const tooLarge = refuse(413, "RequestEntityTooLarge", `Request entity too large: limit is ${bodyLimit}`)

export const sized = ({ body }: Incoming): Step<void> => (body.length > bodyLimit ? tooLarge : Result.void)

/** YAML, which includes JSON; undefined when the text is neither. */
export const yamlOf = (body: Uint8Array): unknown => {
  const text = new TextDecoder().decode(body)
  const asJson = parseJson(text)
  if (asJson !== undefined) return asJson
  const document = parseDocument(text)
  return document.errors.length > 0 ? undefined : document.toJS()
}

const unsupported = refuse(
  415,
  "UnsupportedMediaType",
  `the body of the request was in an unknown format - accepted media types include: application/json, ` +
    `application/yaml`
)

/** The body as an object of any kind. */
export const bodyOf = (incoming: Incoming): Step<JsonObject> =>
  Result.gen(function* () {
    yield* sized(incoming)
    const type = mediaTypeOf(incoming)
    if (!["", "application/json", "application/yaml"].includes(type)) return yield* unsupported
    const body = type === "application/yaml" ? yamlOf(incoming.body) : incoming.json
    if (isObject(body)) return body
    return yield* badRequest("the object provided is unrecognized (must be of type object): couldn't get version/kind")
  })

/** The body as an object of the kind in the path. */
export const thingOf = (incoming: Incoming, kind: Kind): Step<JsonObject> =>
  Result.flatMap(bodyOf(incoming), (body) => ofKind(body, kind))

export const ofKind = (body: JsonObject, kind: Kind): Step<JsonObject> => {
  const apiVersion = apiVersionOf(kind)
  if (kind.custom && (body["kind"] === undefined || body["kind"] === "")) {
    return badRequest(`Object 'Kind' is missing in '${JSON.stringify(body)}'`)
  }
  const given: JsonObject = { ...body, apiVersion: body["apiVersion"] || apiVersion, kind: body["kind"] || kind.kind }
  if (given["apiVersion"] !== apiVersion) {
    const reason = `the API version in the data (${String(given["apiVersion"])}) does not match the expected API version`
    return badRequest(`${reason} (${apiVersion})`)
  }
  if (given["kind"] !== kind.kind) {
    const reason = `${String(given["kind"])} in version "${kind.version}" cannot be handled as a ${kind.kind}`
    return badRequest(`${reason}: no kind "${String(given["kind"])}" is expected at this path`)
  }
  return isObject(given["metadata"] ?? {})
    ? Result.succeed(given)
    : badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: metadata is no object`)
}

export interface Typed {
  readonly object: JsonObject
  /** Warnings about pruned fields. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * An object as its type defines it: unknown fields are pruned with a warning, or refused when the client asks
 * for strict validation. For built-in types `unknownFields.ts` lists the known fields; deeper levels are not
 * checked.
 */
export const typed = ({ incoming, kind, state }: Request, given: JsonObject): Step<Typed> => {
  const found = kind.custom ? pruned(definitionOf(state, kind), given) : known(kind, given)
  const warnings = found.unknown.map((_) => `unknown field "${_}"`)
  const validation = incoming.query.get("fieldValidation") ?? "Warn"
  if (validation === "Strict" && warnings.length > 0) {
    return badRequest(
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: strict decoding error: ` +
        warnings.join(", ")
    )
  }
  const object = defaulted(resourceOf(kind), found.object)
  return Result.succeed({ object, warnings: validation === "Ignore" ? [] : warnings })
}
