import { documented } from "./documented.ts"
import { loads } from "./json.ts"
import { isObject } from "./python.ts"
import { type Arriving, type Verdict } from "./verdict.ts"

const keysFor = (service: "compute" | "volume", decision: "destroys" | "never" | "operates", path: string) =>
  new Set(
    documented[service][decision].split("\n").flatMap((line) => {
      const [, at, key] = line.trim().split(" ")
      return at === path && key !== undefined ? [key] : []
    })
  )

/**
 * What an action's body makes compute or block storage do, as both find it
 * out: the document is parsed, and refused unless it has exactly one key, whose
 * name is compared as it is.
 */
export const actionVerdict =
  (service: "compute" | "volume", collection: string) =>
  ({ body, method, segments }: Arriving): Verdict => {
    if (method !== "POST" || segments.length !== 3 || segments[0] !== collection || segments[2] !== "action") {
      return "either"
    }
    const document = body === undefined ? undefined : loads(body)
    if (!isObject(document) || document.size !== 1) return "either"
    const [key = ""] = document.keys()
    const path = `${collection}/*/action`
    if (keysFor(service, "destroys", path).has(key) || keysFor(service, "never", path).has(key)) return "dangerous"
    return keysFor(service, "operates", path).has(key) ? "harmless" : "either"
  }

/** A backup is restored into the volume that is named, and otherwise into a new one; the name is an id or null. */
export const restoreVerdict = ({ body }: Arriving): Verdict => {
  const document = body === undefined ? undefined : loads(body)
  const restore = isObject(document) ? document.get("restore") : undefined
  if (!isObject(restore)) return "either"
  const volume = restore.get("volume_id")
  if (volume === undefined || volume === null) return "harmless"
  return typeof volume === "string" && volume !== "" ? "dangerous" : "either"
}

/** Glance takes the name of the method as it is. */
export const importVerdict = ({ body }: Arriving): Verdict => {
  const document = body === undefined ? undefined : loads(body)
  const method = isObject(document) ? document.get("method") : undefined
  const name = isObject(method) ? method.get("name") : undefined
  if (name === "web-download" || name === "glance-download") return "dangerous"
  return name === "glance-direct" || name === "copy-image" ? "harmless" : "either"
}

const truths: ReadonlySet<string> = new Set(["1", "t", "true", "on", "y", "yes"])

/** `strutils.bool_from_string` of the one parameter: whatever else it is takes members away. */
export const membersVerdict = (query: string): Verdict => {
  const said = new URLSearchParams(query).getAll("additive_only")
  if (said.length !== 1) return said.length === 0 ? "dangerous" : "either"
  const [value = ""] = said
  if (!truths.has(value.trim().toLowerCase())) return "dangerous"
  return value === "true" || value === "True" ? "harmless" : "either"
}
