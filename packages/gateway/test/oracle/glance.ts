import { loads } from "./json.ts"
import { isList, isObject, type PyObject, type PyValue, strip } from "./python.ts"
import { type Arriving, type Verdict, worst } from "./verdict.ts"

/** Does a call to the image service write where an image's bytes lie, or read it? */
export const imageVerdict = (call: Arriving): Verdict => {
  const [collection, id, sub, more] = call.segments
  if (collection !== "images" || more !== undefined) return "harmless"
  if (sub === "locations") return call.method === "POST" || call.method === "GET" ? "dangerous" : "either"
  if (call.method === "PATCH" && id !== undefined && sub === undefined) return ofPatch(call)
  if (call.method === "POST" && id === undefined) return ofNewImage(call.body)
  return "harmless"
}

/** The service itself refuses a new image that brings them along. */
const ofNewImage = (body: Uint8Array | undefined): Verdict => {
  const image = body === undefined ? undefined : loads(body)
  if (!isObject(image)) return "either"
  return ["locations", "direct_url"].some((_) => image.has(_)) ? "either" : "harmless"
}

const ofPatch = ({ body, headers }: Arriving): Verdict => {
  const type = headers["content-type"]?.split(";")[0]?.trim()
  const pointersOf =
    type === "application/openstack-images-v2.1-json-patch"
      ? pathOf
      : type === "application/openstack-images-v2.0-json-patch"
        ? valueOf
        : undefined
  const changes = body === undefined || pointersOf === undefined ? undefined : loads(body)
  if (!isList(changes) || pointersOf === undefined) return "either"
  const verdicts = changes.map((change) => ofPointer(isObject(change) ? pointersOf(change) : undefined))
  // The changes are read one by one before any is made: one that is refused saves the image.
  return verdicts.includes("dangerous") ? "dangerous" : worst(verdicts)
}

const operations = ["add", "replace", "remove"] as const

/** The newer form: an operation, and the path that it is about. */
const pathOf = (change: PyObject): PyValue | undefined => {
  const operation = change.get("op")
  const known = operations.some((_) => _ === operation)
  return known && (operation === "remove" || change.has("value")) ? change.get("path") : undefined
}

/** The older form: the operation is the key, and the path its value. */
const valueOf = (change: PyObject): PyValue | undefined => {
  const named = operations.filter((_) => change.has(_))
  const [operation] = named
  if (named.length !== 1 || operation === undefined) return undefined
  return operation === "remove" || change.has("value") ? change.get(operation) : undefined
}

const ofPointer = (pointer: PyValue | undefined): Verdict => {
  const root = typeof pointer === "string" ? rootOf(pointer) : undefined
  if (root === undefined) return "either"
  if (root === "locations") return "dangerous"
  return root === "direct_url" || root === "" ? "either" : "harmless"
}

const blank = "[\\t-\\r\\u001c- \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*"
const adjacent = new RegExp(`/${blank}/`)

/** The first part of a pointer, unescaped and stripped; undefined where the service refuses the pointer. */
export const rootOf = (pointer: string): string | undefined => {
  if (!pointer.startsWith("/") || adjacent.test(pointer.slice(1))) return undefined
  if (pointer.length > 1 && pointer.endsWith("/")) return undefined
  if (/~[^01]/.test(pointer) || pointer.endsWith("~")) return undefined
  const [first = ""] = pointer.replace(/^\/+/, "").split("/")
  return strip(first.replaceAll("~1", "/").replaceAll("~0", "~"))
}
