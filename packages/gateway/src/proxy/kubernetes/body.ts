import { BadRequest, type Forbidden, type TooLarge, UnsupportedMediaType } from "@portico/contract/Failures"
import { Option, Predicate, Result } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import { type Part, unknownValue } from "../../acts/kubernetes.ts"
import { jsonOf } from "../requestBody.ts"
import type { Guard } from "./guards.ts"
import { partsOfProtobuf } from "./protobuf.ts"
import { reasonAgainstJson } from "./strictJson.ts"
import { readYaml } from "./yaml.ts"

/** What the API server itself takes. */
export const clusterBodyLimit = 3 * 1024 * 1024

/** The body of a write that was read. */
export interface Read {
  /** Every part of the object that it writes. */
  readonly parts: ReadonlyArray<Part>
  /** For the record of the call; undefined for what is no JSON object. */
  readonly json: unknown
  /** What goes on in its place, where another reader might read the original differently. */
  readonly instead?: { readonly bytes: Buffer; readonly type: string }
}

const applyType = "application/apply-patch+yaml"
const yamlType = "application/yaml"

const creating = ["application/json", yamlType, "application/vnd.kubernetes.protobuf"] as const
const patching = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  applyType
] as const

/**
 * Reads what a create, an update or a patch would write, in each encoding that
 * the API server takes and that can be read in one way.
 *
 * Errors: 415 for another media type, and for a compressed body; 400 for a body that can be
 * read in two ways, or in none.
 */
export const readWrite = (
  method: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  guard: Guard
): Result.Result<Read, BadRequest | TooLarge | UnsupportedMediaType> => {
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return Result.fail(UnsupportedMediaType.encodedBody())
  }
  const types: ReadonlyArray<string> = method === "PATCH" ? patching : creating
  // Without one the API server reads JSON, but as a patch nothing.
  const said = (headers["content-type"] ?? (method === "PATCH" ? "" : "application/json")).split(";")[0] ?? ""
  const type = said.trim().toLowerCase()
  if (!types.includes(type)) return Result.fail(UnsupportedMediaType.clusterBody(types))
  switch (type) {
    case "application/vnd.kubernetes.protobuf": {
      const parts = partsOfProtobuf(body, guard.fields)
      return parts === undefined
        ? ambiguous("it is no object in the binary encoding")
        : Result.succeed({ parts, json: undefined })
    }
    case yamlType:
      return Result.map(readYaml(body), (json) => ({
        ...whole(json),
        instead: { bytes: bytesOf(json), type: "application/json" }
      }))
    case applyType:
      // Sent on as JSON, which every reader of YAML reads alike.
      return Result.map(readYaml(body), (json) => ({
        ...whole(json),
        instead: { bytes: bytesOf(json), type: applyType }
      }))
    case "application/json-patch+json":
      return Result.flatMap(readJson(body), (json) =>
        Result.map(partsOfJsonPatch(json), (parts) => ({ parts, json: undefined }))
      )
    default:
      return Result.map(readJson(body), whole)
  }
}

/** The first thing that a guard has against what was read. */
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

/** YAML folds and refuses characters that JSON takes as they are. */
const bytesOf = (json: unknown): Buffer =>
  Buffer.from(
    JSON.stringify(json).replaceAll(
      /[\u007f-\u009f\u2028\u2029\ufeff]/g,
      (_) => `\\u${_.charCodeAt(0).toString(16).padStart(4, "0")}`
    )
  )

/** As many as the API server takes. */
const mostOperations = 10_000

/**
 * Each operation as the part of the object that it writes. What it copies or
 * moves is not in the request, and what it removes is written nowhere. The
 * library of the API server passes over whatever stands before the first slash.
 */
const partsOfJsonPatch = (json: unknown): Result.Result<ReadonlyArray<Part>, BadRequest> => {
  if (!Array.isArray(json)) return ambiguous("a JSON patch is a list of operations")
  if (json.length > mostOperations) return ambiguous(`it has more than ${mostOperations} operations`)
  const parts: Array<Part> = []
  for (const operation of json) {
    if (!Predicate.isObject(operation)) return ambiguous("an operation of a JSON patch is an object")
    const { op, path, value } = operation
    if (typeof op !== "string" || typeof path !== "string")
      return ambiguous("an operation has 'op' and 'path' as texts")
    if (op === "test" || op === "remove") continue
    if (op !== "add" && op !== "replace" && op !== "copy" && op !== "move") {
      return ambiguous("an operation is one of add, remove, replace, move, copy and test")
    }
    const names = path.split("/").slice(1).map(unescaped)
    if (names.length > 64) return ambiguous("it nests too deeply")
    parts.push(
      names.reduceRight<unknown>(
        (inner, name) => Object.fromEntries([[name, inner]]),
        op === "add" || op === "replace" ? value : unknownValue
      )
    )
  }
  return Result.succeed(parts)
}

const unescaped = (name: string): string => name.replaceAll("~1", "/").replaceAll("~0", "~")
