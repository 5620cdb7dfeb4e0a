import { Result } from "effect"
import type { JsonObject } from "../Json.ts"
import { type Answer, json, originOf, type Step } from "../Wire.ts"
import { refuse, type Request } from "./policy.ts"

const paging = new Set(["fields", "limit", "marker", "page_reverse", "sort"])

const limitOf = (query: URLSearchParams): Step<number | undefined> => {
  const text = query.get("limit")
  if (text === null) return Result.succeed(undefined)
  return /^\d+$/.test(text)
    ? Result.succeed(Number(text))
    : Result.fail(
        // An error of the paging, which has an envelope of its own.
        json(400, {
          code: 400,
          title: "Bad Request",
          description: `Supplied pagination limit '${text}' is not valid.`
        })
      )
}

const compare = (one: unknown, other: unknown): number =>
  one === other ? 0 : one === null || String(one) < String(other) ? -1 : 1

const sorted = (query: URLSearchParams, things: ReadonlyArray<JsonObject>): Step<ReadonlyArray<JsonObject>> => {
  const asked = (query.get("sort") ?? "").split(",").filter((_) => _ !== "")
  const keys = asked.map((_) => _.split(":"))
  for (const [key = "", direction = "asc"] of keys) {
    if (!["asc", "desc"].includes(direction)) {
      return refuse(400, `Supplied sort direction '${direction}' is not valid.`)
    }
    if (things[0] !== undefined && !Object.hasOwn(things[0], key)) {
      return refuse(400, `Supplied sort key '${key}' is not valid.`)
    }
  }
  return Result.succeed(
    things.toSorted((a, b) =>
      keys.reduce(
        (order, [key = "", direction]) => order || compare(a[key], b[key]) * (direction === "desc" ? -1 : 1),
        0
      )
    )
  )
}

const fits = (value: unknown, wanted: ReadonlyArray<string>): boolean => {
  if (typeof value === "boolean") return wanted.some((_) => ["true", "1"].includes(_.toLowerCase()) === value)
  if (Array.isArray(value)) return wanted.every((_) => _.split(",").every((one) => value.includes(one)))
  return wanted.includes(String(value))
}

export const pick = (query: URLSearchParams, thing: JsonObject): JsonObject => {
  const fields = query.getAll("fields").flatMap((_) => _.split(","))
  return fields.length === 0 ? thing : Object.fromEntries(fields.flatMap((_) => (_ in thing ? [[_, thing[_]]] : [])))
}

/**
 * A list with the query's filters, order and page. An unknown key is refused, even for an empty list; the links
 * begin with the request's origin.
 */
export const listed = (
  { incoming: { headers, query, target } }: Request,
  collection: string,
  filters: ReadonlySet<string>,
  things: ReadonlyArray<JsonObject>
): Step<Answer> =>
  Result.gen(function* () {
    const keys = [...new Set(query.keys())]
    if (keys.some((_) => !filters.has(_) && !paging.has(_))) {
      return yield* refuse(400, "One or more arguments are either duplicate or invalid")
    }
    const limit = yield* limitOf(query)
    const wanted = things.filter((one) => keys.every((_) => paging.has(_) || fits(one[_], query.getAll(_))))
    const ordered = yield* sorted(query, wanted)
    const found = query.get("page_reverse")?.toLowerCase() === "true" ? ordered.toReversed() : ordered
    const marker = query.get("marker")
    const at = marker === null ? -1 : found.findIndex((_) => _["id"] === marker)
    if (marker !== null && at < 0) return yield* refuse(400, `Supplied pagination marker '${marker}' is not valid.`)
    const page = found.slice(at + 1, limit === undefined ? undefined : at + 1 + limit)
    const link = (rel: string, edge: JsonObject | undefined, reverse: boolean) => {
      const kept = [...query].filter(([key]) => key !== "marker" && key !== "page_reverse")
      const pairs = [
        ...kept.toSorted(([a], [b]) => (a < b ? -1 : 1)),
        ["marker", String(edge?.["id"])],
        ...(reverse ? [["page_reverse", "True"]] : [])
      ]
      const text = pairs.map((_) => _.join("=")).join("&")
      return { rel, href: `${originOf({ headers })}${target.split("?")[0] ?? ""}?${text}` }
    }
    const links = [
      ...(marker !== null && page.length > 0 ? [link("previous", page[0], true)] : []),
      ...(limit !== undefined && limit > 0 && page.length === limit ? [link("next", page.at(-1), false)] : [])
    ]
    return json(200, { [collection]: page.map((_) => pick(query, _)), [`${collection}_links`]: links })
  })
