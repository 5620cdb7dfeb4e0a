import { Result } from "effect"
import { isObject, type JsonObject } from "../Json.ts"
import { canonicalJson } from "./canonicalJson.ts"

/** RFC 7396: null removes, objects are merged, everything else is replaced. */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch
  const merged: Record<string, unknown> = { ...(isObject(target) ? target : {}) }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = mergePatch(merged[key], value)
  }
  return merged
}

interface Operation {
  readonly op: string
  readonly path: string
  readonly from: string
  readonly value: unknown
}

/** The error of an RFC 6902 patch: malformed (400), or not applicable to the document (422). */
export interface PatchError {
  readonly malformed: boolean
  readonly why: string
}

const fails = (why: string, malformed = false): Result.Result<never, PatchError> => Result.fail({ malformed, why })

export const jsonPatch = (target: unknown, patch: unknown): Result.Result<unknown, PatchError> => {
  if (!Array.isArray(patch))
    return fails(
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
      true
    )
  let document: Result.Result<unknown, PatchError> = Result.succeed(target)
  for (const one of patch) {
    document = Result.flatMap(document, (_) =>
      isObject(one) ? applied(_, operation(one)) : fails("no operation", true)
    )
  }
  return document
}

const operation = (one: JsonObject): Operation => ({
  op: String(one["op"]),
  path: String(one["path"] ?? ""),
  from: String(one["from"] ?? ""),
  value: one["value"]
})

const keysOf = (pointer: string): ReadonlyArray<string> =>
  pointer
    .split("/")
    .slice(1)
    .map((_) => _.replaceAll("~1", "/").replaceAll("~0", "~"))

const valueAt = (document: unknown, pointer: string): Result.Result<unknown, PatchError> =>
  keysOf(pointer).reduce<Result.Result<unknown, PatchError>>(
    (at, key) =>
      Result.flatMap(at, (value) => {
        const found = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined
        return found === undefined ? fails(`path ${pointer} is missing`) : Result.succeed(found)
      }),
    Result.succeed(document)
  )

type Edit = "add" | "replace" | "remove"

const applied = (document: unknown, { from, op, path, value }: Operation): Result.Result<unknown, PatchError> => {
  const missing = (_: PatchError): PatchError => ({
    malformed: false,
    why: `${op} operation does not apply: doc is missing path: ${path}: missing value`
  })
  switch (op) {
    case "add":
    case "replace":
    case "remove":
      return Result.mapError(edited(document, keysOf(path), op, value), missing)
    case "test":
      return Result.flatMap(Result.mapError(valueAt(document, path), missing), (found) =>
        canonicalJson(found) === canonicalJson(value)
          ? Result.succeed(document)
          : fails(`testing value ${path} failed: test failed`)
      )
    case "copy":
    case "move":
      return Result.gen(function* () {
        const moved = yield* Result.mapError(valueAt(document, from), missing)
        const rest = op === "move" ? yield* edited(document, keysOf(from), "remove", undefined) : document
        return yield* Result.mapError(edited(rest, keysOf(path), "add", moved), missing)
      })
    default:
      return fails(`Unexpected kind: ${op}`, true)
  }
}

const edited = (
  at: unknown,
  keys: ReadonlyArray<string>,
  edit: Edit,
  value: unknown
): Result.Result<unknown, PatchError> => {
  const [key, ...below] = keys
  if (key === undefined) return edit === "remove" ? Result.void : Result.succeed(value)
  if (Array.isArray(at)) return editedList(at, key, below, edit, value)
  if (!isObject(at)) return fails("not a container")
  if (below.length > 0) {
    if (!Object.hasOwn(at, key)) return fails("missing")
    return Result.map(edited(at[key], below, edit, value), (_) => ({ ...at, [key]: _ }))
  }
  // The library of the API server replaces a member that is not there.
  if (edit === "remove" && !Object.hasOwn(at, key)) return fails("missing")
  const { [key]: _, ...rest } = at
  return Result.succeed(edit === "remove" ? rest : { ...at, [key]: value })
}

const editedList = (
  list: ReadonlyArray<unknown>,
  key: string,
  below: ReadonlyArray<string>,
  edit: Edit,
  value: unknown
): Result.Result<unknown, PatchError> => {
  const index = key === "-" ? list.length : /^\d+$/.test(key) ? Number(key) : -1
  const last = edit === "add" && below.length === 0 ? list.length : list.length - 1
  if (index < 0 || index > last) return fails("out of range")
  if (below.length > 0) return Result.map(edited(list[index], below, edit, value), (_) => list.with(index, _))
  return Result.succeed(list.toSpliced(index, edit === "add" ? 0 : 1, ...(edit === "remove" ? [] : [value])))
}
