import type { Answer, Incoming } from "../Wire.ts"
import { badRequest } from "./fault.ts"

/** `osapi_max_limit` and `[api] max_limit`: both the default page and the largest. */
const maxLimit = 1000

export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  /** The query of the next page; undefined when this one is not full. */
  readonly next: string | undefined
}

interface Dated {
  readonly id: string
  readonly created_at: number
}

/** Newest first; items of the same time are ordered by id. */
const newestFirst = (a: Dated, b: Dated): number => b.created_at - a.created_at || (a.id < b.id ? 1 : -1)

type Order<Item> = (a: Item, b: Item) => number

/** The order that a query asks for, then newest first; or the refusal of an unknown sort key. */
export const sortedBy = <Item extends Dated>(
  sorting: ReadonlyArray<readonly [key: string, direction: string]>,
  keys: Readonly<Record<string, (item: Item) => string | number>>,
  refuse: (key: string) => Answer
): Order<Item> | Answer => {
  const unknown = sorting.find(([key]) => !Object.hasOwn(keys, key))
  if (unknown !== undefined) return refuse(unknown[0])
  return (a, b) =>
    sorting.reduce((order, [key, direction]) => {
      const [one, other] = [keys[key]?.(a) ?? "", keys[key]?.(b) ?? ""]
      const sign = direction === "asc" ? 1 : -1
      return order || (one === other ? 0 : one < other ? -sign : sign)
    }, 0) || newestFirst(a, b)
}

/** How a service's pages differ from compute's. */
interface Paging<Item> {
  readonly order?: Order<Item>
  /** No paging: the whole list, for versions without pages. */
  readonly whole?: boolean
  readonly wrongNumber?: (name: string, text: string) => Answer
  readonly noMarker?: (marker: string) => Answer
  readonly nextQuery?: (query: URLSearchParams, marker: string) => string
}

/**
 * The page that `limit` and `marker` ask for, or the refusal. A page that is exactly full has a next link, even
 * if the next page is empty.
 */
export const pageOf = <Item extends Dated>(
  { query }: Incoming,
  all: ReadonlyArray<Item>,
  {
    nextQuery = sortedQuery,
    noMarker = (marker) => badRequest(`marker [${marker}] not found`),
    order = newestFirst,
    whole = false,
    wrongNumber = wrongParameter
  }: Paging<Item> = {}
): Page<Item> | Answer => {
  const sorted = all.toSorted(order)
  if (whole) return { items: sorted, next: undefined }
  const [requested, marker, offset] = [query.get("limit"), query.get("marker"), query.get("offset")]
  for (const [name, text] of Object.entries({ limit: requested, offset })) {
    if (text !== null && !/^\d+$/.test(text)) return wrongNumber(name, text)
  }
  const limit = Math.min(requested === null ? maxLimit : Number(requested), maxLimit)
  const at = marker === null ? -1 : sorted.findIndex((_) => _.id === marker)
  if (marker !== null && at < 0) return noMarker(marker)
  const start = at + 1 + Number(offset ?? 0)
  const items = sorted.slice(start, start + limit)
  const last = items.at(-1)
  return { items, next: last === undefined || items.length < limit ? undefined : nextQuery(query, last.id) }
}

const wrongParameter = (name: string, text: string): Answer =>
  badRequest(`Invalid input for query parameters ${name}. Value: ${text}. '${text}' does not match '^[0-9]*$'`)

/** The query sorted by name; a new marker is last. */
const sortedQuery = (query: URLSearchParams, marker: string): string => {
  const next = new URLSearchParams(query)
  next.delete("offset")
  if (next.has("marker")) next.set("marker", marker)
  next.sort()
  if (!next.has("marker")) next.set("marker", marker)
  return next.toString()
}

/** The same query as it was sent. */
export const keptQuery = (query: URLSearchParams, marker: string): string => {
  const next = new URLSearchParams(query)
  next.delete("offset")
  next.set("marker", marker)
  return next.toString()
}
