import { Option, Result, Schema } from "effect"
import { parseDocument } from "yaml"
import type { Incoming } from "../Wire.ts"
import { definitionOf } from "./crds.ts"
import { defaulted } from "./defaults.ts"
import { apiVersionOf, type Kind, resourceOf } from "./kinds.ts"
import { known } from "./known.ts"
import { isObject } from "./patch.ts"
import type { Request } from "./request.ts"
import { pruned } from "./schema.ts"
import type { JsonObject } from "./state.ts"
import { badRequest, refuse, type Step } from "./status.ts"

/** What a request may weigh, in bytes. */
export const bodyLimit = 3 * 1024 * 1024

export const mediaTypeOf = ({ headers }: Incoming): string =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

const tooLarge = refuse(413, "RequestEntityTooLarge", `Request entity too large: limit is ${bodyLimit}`)

export const sized = ({ body }: Incoming): Step<void> =>
  body.length > bodyLimit ? tooLarge : Result.succeed(undefined)

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** YAML or JSON, which is YAML; undefined for what is neither. */
export const yamlOf = (body: Uint8Array): unknown => {
  const text = new TextDecoder().decode(body)
  return Option.getOrElse(decodeJson(text), () => {
    const document = parseDocument(text)
    return document.errors.length > 0 ? undefined : document.toJS()
  })
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

/** The body as an object of the kind that the path names. */
export const thingOf = (incoming: Incoming, kind: Kind): Step<JsonObject> =>
  Result.flatMap(bodyOf(incoming), (body) => ofKind(body, kind))

export const ofKind = (body: JsonObject, kind: Kind): Step<JsonObject> => {
  const apiVersion = apiVersionOf(kind)
  if (kind.custom && (body["kind"] === undefined || body["kind"] === "")) {
    return badRequest(`Object 'Kind' is missing in '${JSON.stringify(body)}'`)
  }
  const given: JsonObject = { ...body, apiVersion: body["apiVersion"] || apiVersion, kind: body["kind"] || kind.kind }
  if (given["apiVersion"] !== apiVersion) {
    const said = `the API version in the data (${String(given["apiVersion"])}) does not match the expected API version`
    return badRequest(`${said} (${apiVersion})`)
  }
  if (given["kind"] !== kind.kind) {
    const said = `${String(given["kind"])} in version "${kind.version}" cannot be handled as a ${kind.kind}`
    return badRequest(`${said}: no kind "${String(given["kind"])}" is expected at this path`)
  }
  return isObject(given["metadata"] ?? {})
    ? Result.succeed(given)
    : badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: metadata is no object`)
}

export interface Typed {
  readonly object: JsonObject
  /** Names of fields that were left out, in the words of a warning. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * An object as its type has it: unknown fields are left out and warned of, or
 * refused when the client asks for that. Of built-in types the fields are
 * known as far as `known.ts` lists them, and what is below is not looked at.
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
