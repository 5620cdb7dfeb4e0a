import { RegExp as Pattern, Result } from "effect"
import { isUuid, type JsonObject } from "../Json.ts"
import { repr } from "../python.ts"
import { type Answer, json, type Step } from "../Wire.ts"
import { refuse } from "./answers.ts"
import { baseOf, type Request } from "./request.ts"

type View = JsonObject & { readonly id: string }

export interface Listed {
  readonly collection: string
  readonly filters: ReadonlyArray<string>
  readonly sortKeys: ReadonlyArray<string>
}

/** `default_limit_v2` and `max_limit_v2`. */
const defaultLimit = 20
const maxLimit = 1000

/** Filters the list, then returns the page that `limit`, `marker`, `sort_key` and `sort_dir` ask for. */
export const listOf = (request: Request, all: ReadonlyArray<View>, listed: Listed): Step<Answer> =>
  Result.gen(function* () {
    const { query } = request
    const limit = yield* limitOf(query.get("limit"))
    const sorted = (yield* filtered(query, all, listed)).toSorted(yield* orderOf(query, listed))
    const marker = query.get("marker")
    const at = marker === null ? -1 : sorted.findIndex((_) => _.id === marker)
    if (marker !== null && !isUuid(marker)) return yield* refuse(400, "invalid_marker")
    // The refusal of an unknown marker does not name it.
    if (marker !== null && at < 0) return yield* refuse(400, "marker_not_found", "Marker None could not be found")
    const items = sorted.slice(at + 1, at + 1 + limit)
    const last = items.at(-1)
    // A page that is exactly full has a next link, even if the next page is empty.
    const next = last === undefined || items.length < limit ? {} : { next: hrefOf(request, last.id) }
    return json(200, {
      [listed.collection]: items,
      links: { self: hrefOf(request, undefined), ...next },
      metadata: request.hideCounts ? {} : { total_count: sorted.length }
    })
  })

const limitOf = (text: string | null): Step<number> => {
  if (text === null) return Result.succeed(defaultLimit)
  if (text.toLowerCase() === "max") return Result.succeed(maxLimit)
  return /^[1-9]\d*$/.test(text)
    ? Result.succeed(Math.min(Number(text), maxLimit))
    : refuse(400, "invalid_limit", `limit should be an integer between 1 and ${maxLimit}`)
}

const paging = new Set(["limit", "marker", "sort_key", "sort_dir"])

const filtered = (query: URLSearchParams, all: ReadonlyArray<View>, { filters }: Listed): Step<ReadonlyArray<View>> => {
  const asked = [...query].filter(([key]) => !paging.has(key))
  const invalid = asked.map(([key]) => key).filter((key) => !filters.includes(key))
  return invalid.length > 0
    ? refuse(400, "bad_request", `Invalid filters ${invalid.join(", ")}`)
    : Result.succeed(all.filter((one) => asked.every(([key, wanted]) => fits(one, key, wanted))))
}

/** `*` matches any text; `data` matches when any record of the set does. */
const fits = (one: View, key: string, wanted: string): boolean => {
  const pattern = new RegExp(`^${wanted.split("*").map(Pattern.escape).join(".*")}$`, "i")
  const value = key === "data" ? one["records"] : one[key]
  const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  return values.some((_) => _ !== null && pattern.test(String(_)))
}

const orderOf = (query: URLSearchParams, { sortKeys }: Listed): Step<(a: View, b: View) => number> => {
  const key = query.get("sort_key") ?? "created_at"
  const direction = query.get("sort_dir") ?? "asc"
  if (!sortKeys.includes(key)) {
    return refuse(400, "invalid_sort_key", `sort key must be one of ${repr(sortKeys)}`)
  }
  if (direction !== "asc" && direction !== "desc") {
    return refuse(400, "invalid_sort_dir", "Invalid sort direction, please use 'asc' or 'desc'")
  }
  const sign = direction === "asc" ? 1 : -1
  const shown = key === "tenant_id" ? "project_id" : key
  return Result.succeed((a, b) => sign * (compare(a[shown], b[shown]) || compare(a.id, b.id)))
}

const compare = (a: unknown, b: unknown): number => {
  if (typeof a === "number" && typeof b === "number") return a - b
  const [one, other] = [String(a ?? ""), String(b ?? "")]
  return one < other ? -1 : Number(one > other)
}

const hrefOf = (request: Request, marker: string | undefined): string => {
  const query = new URLSearchParams(request.query)
  if (marker !== undefined) query.set("marker", marker)
  return `${baseOf(request)}${request.incoming.path}${query.size === 0 ? "" : `?${query}`}`
}
