import { BadRequest, type Forbidden, TooLarge, UnsupportedMediaType } from "@portico/contract/Failures"
import { Option, Predicate, Result } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { type Part, unknownValue } from "../../acts/kubernetes.ts"
import { exceededBy } from "@portico/upstream/jsonLimits"
import { isEncoded } from "../../requests/contentEncoding.ts"
import { jsonLimits, jsonOf } from "../requestBody.ts"
import type { Guard } from "./guards.ts"
import { partsOfProtobuf } from "./protobuf.ts"
import { reasonAgainstJson } from "./strictJson.ts"
import { readYaml } from "./yaml.ts"

/** The body limit of the API server, in bytes. */
export const clusterBodyLimit = 3 * 1024 * 1024

/** The parsed body of a write. */
export interface Read {
  /** Every part of the object that it writes. */
  readonly parts: ReadonlyArray<Part>
  /** The body for the audit record; undefined when it is not a JSON object. */
  readonly json: unknown
  /** The replacement body, where another reader might parse the original differently. */
  readonly instead?: { readonly bytes: Buffer; readonly type: string }
}

const applyType = "application/apply-patch+yaml"
const yamlType = "application/yaml"

const protobufType = "application/vnd.kubernetes.protobuf"

const creating = ["application/json", yamlType, protobufType] as const
const patching = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  applyType
] as const

/** Whether a body is said to be YAML, which takes long to parse. */
/** Not YAML, the binary encoding or a JSON patch, of which a few bytes may be much to check. */
export const isPlainJson = (headers: IncomingHttpHeaders): boolean =>
  !/yaml|protobuf|json-patch/i.test(headers["content-type"] ?? "")

/**
 * Parses the body of a create, an update or a patch, in each unambiguous encoding that the API server accepts.
 *
 * Errors: 415 for another media type, and for a compressed body; 413 for JSON with too many values; 400 for an
 * ambiguous or invalid body.
 */
export const readWrite = (
  method: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  guard: Guard
): Result.Result<Read, BadRequest | TooLarge | UnsupportedMediaType> => {
  if (isEncoded(headers["content-encoding"])) return Result.fail(UnsupportedMediaType.encodedBody())
  const types: ReadonlyArray<string> = method === "PATCH" ? patching : creating
  // Without a content type the API server reads JSON, but rejects a patch.
  const contentType = (headers["content-type"] ?? (method === "PATCH" ? "" : "application/json")).split(";")[0] ?? ""
  const type = contentType.trim().toLowerCase()
  if (!types.includes(type)) return Result.fail(UnsupportedMediaType.clusterBody(types))
  if (type !== protobufType && exceededBy(body.toString("latin1"), jsonLimits) === "values")
    return Result.fail(TooLarge.values(jsonLimits.values))
  switch (type) {
    case protobufType: {
      const parts = partsOfProtobuf(body, guard.fields)
      return parts === undefined
        ? ambiguous("it is not an object in the binary encoding")
        : Result.succeed({ parts, json: undefined })
    }
    case yamlType:
    case applyType:
      // Forwarded as JSON, which every YAML reader parses alike.
      return Result.map(readYaml(body), (json) => ({
        ...whole(json),
        instead: { bytes: bytesOf(json), type: type === applyType ? applyType : "application/json" }
      }))
    case "application/json-patch+json":
      return Result.flatMap(readJson(body), (json) =>
        Result.map(partsOfJsonPatch(json), (parts) => ({ parts, json: undefined }))
      )
    default:
      return Result.map(readJson(body), whole)
  }
}

/** The first refusal of a guard for the parts of a body. */
export const againstRead = (guard: Guard, { parts }: Read): Forbidden | undefined => {
  for (const part of parts) {
    const refusal = guard.against(part)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

const ambiguous = (why: string) => Result.fail(BadRequest.clusterBody(why))

const whole = (json: unknown): Read => ({ parts: [json], json })

const readJson = (body: Buffer): Result.Result<unknown, BadRequest> => {
  const why = reasonAgainstJson(body.toString())
  if (why !== undefined) return ambiguous(why)
  return Option.match(jsonOf(body), {
    onNone: () => Result.fail(BadRequest.bodyNotJson()),
    onSome: Result.succeed
  })
}

/** Escapes characters that JSON allows verbatim but YAML folds or rejects. */
const bytesOf = (json: unknown): Buffer =>
  Buffer.from(
    JSON.stringify(json).replaceAll(
      /[\u007f-\u009f\u2028\u2029\ufeff]/g,
      (_) => `\\u${_.charCodeAt(0).toString(16).padStart(4, "0")}`
    )
  )

/** The API server's own limit. */
const maxOperations = 10_000

/** Of one path. */
const maxNames = 64

/**
 * Each operation as the part of the object that it writes. The value of a copy or a move is not in the request, and a
 * removal writes no value. The API server's library ignores everything before the first slash of a path.
 */
const partsOfJsonPatch = (json: unknown): Result.Result<ReadonlyArray<Part>, BadRequest> => {
  if (!Array.isArray(json)) return ambiguous("a JSON patch is a list of operations")
  if (json.length > maxOperations) return ambiguous(`it has more than ${maxOperations} operations`)
  const parts: Array<Part> = []
  let written = 0
  for (const operation of json) {
    if (!Predicate.isObject(operation)) return ambiguous("an operation of a JSON patch is an object")
    const { op, path, value } = operation
    if (typeof op !== "string" || typeof path !== "string")
      return ambiguous("an operation has 'op' and 'path' as texts")
    if (op === "test" || op === "remove") continue
    if (op !== "add" && op !== "replace" && op !== "copy" && op !== "move") {
      return ambiguous("an operation is one of add, remove, replace, move, copy and test")
    }
    const names = path.split("/", maxNames + 2).slice(1)
    if (names.length > maxNames) return ambiguous("it nests too deeply")
    written += names.length
    if (written > jsonLimits.values) return ambiguous(`its paths have more than ${jsonLimits.values} names`)
    parts.push(
      names
        .map(unescaped)
        .reduceRight<unknown>(
          (inner, name) => Object.fromEntries([[name, inner]]),
          op === "add" || op === "replace" ? value : unknownValue
        )
    )
  }
  return Result.succeed(parts)
}

const unescaped = (name: string): string => name.replaceAll("~1", "/").replaceAll("~0", "~")
