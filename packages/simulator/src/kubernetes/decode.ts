import { Result } from "effect"
import { parseDocument } from "yaml"
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from "../Json.ts"
import type { Incoming, Step } from "../Wire.ts"
import { conform } from "./conform.ts"
import { definitionOf } from "./customResources.ts"
import { defaulted } from "./defaults.ts"
import { apiVersionOf, builtIns, type Kind, resourceOf } from "./kinds.ts"
import { builtInShape, shapeOf } from "./shapes.ts"
import { syntaxError } from "./jsonErrors.ts"
import type { Request } from "./request.ts"
import { pruned } from "./schema.ts"
import { badRequest, invalidUnless, invalidValue, refuse } from "./status.ts"

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
    `application/yaml, application/vnd.kubernetes.protobuf`
)

/** The start of a body, as Go's decoder cites it. */
const cited = (body: Uint8Array): string => {
  const text = new TextDecoder().decode(body)
  if (text === "") return "<empty>"
  if (/^[{]/.test(text)) return text.length > 30 ? `${text.slice(0, 30)} ...` : text
  const hex = Buffer.from(body).toString("hex")
  return body.length > 30 ? `${Buffer.from(body.slice(0, 30)).toString("hex")} ...` : hex
}

const versionAndKind =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** Why a body is no object. */
const unreadable = ({ body, json }: Incoming, media: string): string => {
  const text = new TextDecoder().decode(body)
  if (media === "application/yaml" && parseDocument(text).errors.length > 0) return "yaml: the text does not parse"
  const why = Array.isArray(json)
    ? `json: cannot unmarshal array into Go value of type ${versionAndKind}`
    : (syntaxError(text) ?? "unexpected end of JSON input")
  return `couldn't get version/kind; json parse error: ${why}`
}

/** The body as an object; `type` is named in the message when it is none. */
export const bodyOf = (incoming: Incoming, type = "object"): Step<JsonObject> =>
  Result.gen(function* () {
    yield* sized(incoming)
    const media = mediaTypeOf(incoming)
    if (!["", "application/json", "application/yaml"].includes(media)) return yield* unsupported
    const body = media === "application/yaml" ? yamlOf(incoming.body) : incoming.json
    if (isObject(body)) return body
    return yield* badRequest(
      `the object provided is unrecognized (must be of type ${type}): ${unreadable(incoming, media)} (${cited(incoming.body)})`
    )
  })

/** The body as an object of the kind in the path. */
export const thingOf = (incoming: Incoming, kind: Kind): Step<JsonObject> =>
  Result.flatMap(bodyOf(incoming, kind.kind), (body) => ofKind(body, kind))

export const ofKind = (body: JsonObject, kind: Kind): Step<JsonObject> => {
  const apiVersion = apiVersionOf(kind)
  if (kind.custom && (body["kind"] === undefined || body["kind"] === "")) {
    const text = JSON.stringify(body)
    const start = cited(new TextEncoder().encode(text))
    return badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): Object 'Kind' is missing in '${text}' (${start})`
    )
  }
  const given: JsonObject = { ...body, apiVersion: body["apiVersion"] || apiVersion, kind: body["kind"] || kind.kind }
  if (kind.custom && given["apiVersion"] === apiVersion && given["kind"] !== kind.kind) {
    const name = stringAt(objectAt(given, "metadata"), "name") ?? ""
    return Result.flatMap(
      invalidUnless({ group: kind.group, kind: String(given["kind"]) }, name, [
        invalidValue("kind", given["kind"], `must be ${kind.kind}`)
      ]),
      () => Result.succeed(given)
    )
  }
  const why = given["apiVersion"] === apiVersion && given["kind"] === kind.kind ? undefined : foreign(given, kind)
  return why === undefined ? Result.succeed(given) : badRequest(why)
}

/** Why an object of another kind or version is refused. */
const foreign = (given: JsonObject, kind: Kind): string => {
  const [name, apiVersion] = [String(given["kind"]), String(given["apiVersion"])]
  const version = apiVersion.split("/").at(-1) ?? ""
  if (kind.custom) {
    return `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(kind)})`
  }
  const cannot = `${name} in version "${version}" cannot be handled as a ${kind.kind}: `
  const other = builtIns.find((_) => _.kind === name && apiVersionOf(_) === apiVersion)
  if (other === undefined) {
    const group = apiVersion.includes("/") ? apiVersion : version
    return `${cannot}no kind "${name}" is registered for version "${group}" in scheme "pkg/runtime/scheme.go:110"`
  }
  const error = conform(builtInShape(other), given).error
  const group = kind.group === "" ? "core" : (kind.group.split(".")[0] ?? "")
  return `${cannot}${error ?? `converting (${version}.${name}) to (${group}.${kind.kind}): unknown conversion`}`
}

export interface Typed {
  readonly object: JsonObject
  /** Warnings about pruned fields. */
  readonly warnings: ReadonlyArray<string>
}

/** An object as its type defines it: unknown fields are pruned with a warning, or refused by strict validation. */
export const typed = ({ incoming, kind, state }: Request, given: JsonObject): Step<Typed> => {
  const cannot = `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: `
  const found = kind.custom
    ? { ...pruned(definitionOf(state, kind), given), error: undefined }
    : conform(shapeOf(state, kind), given)
  if (found.error !== undefined) return badRequest(`${cannot}${found.error}`)
  const warnings = found.unknown.map((_) => `unknown field "${_}"`)
  const validation = incoming.query.get("fieldValidation") ?? "Warn"
  if (validation === "Strict" && warnings.length > 0) {
    return badRequest(`${cannot}strict decoding error: ${warnings.join(", ")}`)
  }
  const object = defaulted(resourceOf(kind), found.object)
  return Result.succeed({ object, warnings: validation === "Ignore" ? [] : warnings })
}
