import { Result } from "effect"
import { type JsonObject, objectAt, stringAt } from "../Json.ts"
import { originOf, type Step } from "../Wire.ts"
import { repr } from "../python.ts"
import type { Attributes } from "./attributes.ts"
import { badRequest, notFound, refuse } from "./errors.ts"
import type { Request } from "./request.ts"

/** Query keys that are not filters. */
const reserved = new Set(["fields", "limit", "marker", "page_reverse", "sort_key", "sort_dir"])

const tagFilters: Readonly<Record<string, (tags: ReadonlyArray<unknown>, wanted: ReadonlyArray<string>) => boolean>> = {
  tags: (tags, wanted) => wanted.every((_) => tags.includes(_)),
  "tags-any": (tags, wanted) => wanted.some((_) => tags.includes(_)),
  "not-tags": (tags, wanted) => !wanted.every((_) => tags.includes(_)),
  "not-tags-any": (tags, wanted) => !wanted.some((_) => tags.includes(_))
}

const arrayOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** `fixed_ips=subnet_id=S`, `fixed_ips=ip_address=A`, and `fixed_ips=ip_address_substr=A` for a part. */
const hasFixedIp = (value: unknown, wanted: string): boolean => {
  const [key = "", expected] = wanted.split("=")
  return arrayOf(value).some((_) =>
    key === "ip_address_substr"
      ? stringAt(objectAt(_), "ip_address")?.includes(expected ?? "") === true
      : objectAt(_)[key] === expected
  )
}

const matches = (key: string, value: unknown, wanted: ReadonlyArray<string>): boolean => {
  if (key === "fixed_ips") return wanted.every((_) => hasFixedIp(value, _))
  if (Array.isArray(value)) return value.some((_) => wanted.includes(String(_)))
  if (typeof value === "boolean") return wanted.some((_) => ["true", "1"].includes(_.toLowerCase()) === value)
  return value !== null && wanted.includes(String(value))
}

/** Filters by the query; an unknown key is refused, because the validation of filters is on by default. */
export const filtered = (
  attributes: Attributes,
  query: URLSearchParams,
  things: ReadonlyArray<JsonObject>
): Step<ReadonlyArray<JsonObject>> => {
  const keys = [...new Set(query.keys())].filter((_) => !reserved.has(_))
  const unknown = keys.filter(
    (_) => !Object.hasOwn(tagFilters, _) && (!Object.hasOwn(attributes, _) || attributes[_]?.filter === false)
  )
  if (unknown.length > 0) {
    return badRequest(`[${unknown.map((_) => `'${_}'`).join(", ")}] is invalid attribute for filtering`)
  }
  return Result.succeed(
    things.filter((thing) =>
      keys.every((key) => {
        const byTags = tagFilters[key]
        return byTags === undefined
          ? matches(key, thing[key], query.getAll(key))
          : byTags(
              arrayOf(thing["tags"]),
              query.getAll(key).flatMap((_) => _.split(","))
            )
      })
    )
  )
}

export const pick = (query: URLSearchParams, thing: JsonObject): JsonObject => {
  const fields = query.getAll("fields").filter((_) => _ !== "")
  return fields.length === 0 ? thing : Object.fromEntries(Object.entries(thing).filter(([key]) => fields.includes(key)))
}

const compare = (one: unknown, other: unknown): number =>
  one === other ? 0 : one === null || String(one) < String(other) ? -1 : 1

const sorted = (
  query: URLSearchParams,
  byId: boolean,
  things: ReadonlyArray<JsonObject>
): ReadonlyArray<JsonObject> => {
  const keys = [...query.getAll("sort_key"), ...(byId ? ["id"] : [])]
  const directions = query.getAll("sort_dir")
  return things.toSorted((a, b) =>
    keys.reduce((order, key, i) => order || compare(a[key], b[key]) * (directions[i] === "desc" ? -1 : 1), 0)
  )
}

/** One page of a list with its links, which begin with the request's origin; pages are sorted by id. */
export const paged = (
  { incoming: { headers, query, target } }: Request,
  collection: string,
  title: string,
  things: ReadonlyArray<JsonObject>
): Step<JsonObject> => {
  const asked = query.get("limit") ?? "0"
  if (!/^\d+$/.test(asked)) {
    const message = `Bad limit request: Limit must be an integer 0 or greater and not '${asked}'.`
    return refuse(400, "BadRequest", message)
  }
  if (query.getAll("sort_key").length !== query.getAll("sort_dir").length) {
    return badRequest("The number of sort_keys and sort_dirs must be same")
  }
  const odd = query.getAll("sort_dir").filter((_) => _ !== "asc" && _ !== "desc")
  if (odd.length > 0) {
    return badRequest(`${repr(odd)} is invalid value for sort_dirs, valid value is 'asc' and 'desc'`)
  }
  const limit = Number(asked)
  const ordered = sorted(query, limit > 0, things)
  if (limit === 0) return Result.succeed({ [collection]: ordered.map((_) => pick(query, _)) })
  const marker = query.get("marker")
  const at = marker === null ? -1 : ordered.findIndex((_) => _["id"] === marker)
  if (marker !== null && at < 0) return notFound(title, marker)
  const reverse = query.get("page_reverse")?.toLowerCase() === "true"
  const end = marker === null ? ordered.length : at
  const page = reverse ? ordered.slice(Math.max(0, end - limit), end) : ordered.slice(at + 1, at + 1 + limit)
  const link = (rel: "next" | "previous", edge: JsonObject | undefined) => {
    const params = new URLSearchParams(query)
    params.delete("marker")
    params.delete("page_reverse")
    if (edge !== undefined) params.set("marker", String(edge["id"]))
    if (rel === "previous") params.set("page_reverse", "True")
    return { rel, href: `${originOf({ headers })}${target.split("?")[0] ?? ""}?${params}` }
  }
  const short = page.length < limit
  const links = [
    ...(short && !reverse ? [] : [link("next", page.at(-1))]),
    ...(short && reverse ? [] : [link("previous", page[0])])
  ]
  return Result.succeed({ [collection]: page.map((_) => pick(query, _)), [`${collection}_links`]: links })
}
