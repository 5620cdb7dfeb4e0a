import type { Answer, Incoming } from "../Wire.ts"
import { badRequest } from "./fault.ts"

/** `osapi_max_limit` and `[api] max_limit`: both the default page and the largest. */
const maxLimit = 1000

interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  /** The query of the next page; undefined when this one is not full. */
  readonly next: string | undefined
}

interface Dated {
  readonly id: string
  readonly created_at: number
}

/** Newest first, and by id where the clock does not decide. */
const newestFirst = (a: Dated, b: Dated): number => b.created_at - a.created_at || (a.id < b.id ? 1 : -1)

type Order<Item> = (a: Item, b: Item) => number

/**
 * The order that a query asks for, newest first where it does not decide, or
 * the refusal of a key that nothing is sorted by.
 */
export const sortedBy = <Item extends Dated>(
  asked: ReadonlyArray<readonly [key: string, direction: string]>,
  keys: Readonly<Record<string, (item: Item) => string | number>>,
  refuse: (key: string) => Answer
): Order<Item> | Answer => {
  const unknown = asked.find(([key]) => !Object.hasOwn(keys, key))
  if (unknown !== undefined) return refuse(unknown[0])
  return (a, b) =>
    asked.reduce((order, [key, direction]) => {
      const [one, other] = [keys[key]?.(a) ?? "", keys[key]?.(b) ?? ""]
      const sign = direction === "asc" ? 1 : -1
      return order || (one === other ? 0 : one < other ? -sign : sign)
    }, 0) || newestFirst(a, b)
}

/** How a service differs from compute in its pages. */
interface Paging<Item> {
  readonly order?: Order<Item>
  /** Everything at once, for versions that know no pages. */
  readonly whole?: boolean
  readonly wrongNumber?: (name: string, text: string) => Answer
  readonly noMarker?: (marker: string) => Answer
  readonly nextQuery?: (query: URLSearchParams, marker: string) => string
}

/**
 * The page that `limit` and `marker` ask for, or the refusal they deserve. A
 * page that is exactly full has a next one, though it may turn out to be empty.
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
  const [asked, marker, offset] = [query.get("limit"), query.get("marker"), query.get("offset")]
  for (const [name, text] of Object.entries({ limit: asked, offset })) {
    if (text !== null && !/^\d+$/.test(text)) return wrongNumber(name, text)
  }
  const limit = Math.min(asked === null ? maxLimit : Number(asked), maxLimit)
  const at = marker === null ? -1 : sorted.findIndex((_) => _.id === marker)
  if (marker !== null && at < 0) return noMarker(marker)
  const start = at + 1 + Number(offset ?? 0)
  const items = sorted.slice(start, start + limit)
  const last = items.at(-1)
  return { items, next: last === undefined || items.length < limit ? undefined : nextQuery(query, last.id) }
}

const wrongParameter = (name: string, text: string): Answer =>
  badRequest(`Invalid input for query parameters ${name}. Value: ${text}. '${text}' does not match '^[0-9]*$'`)

/** The same query in the order of its names; a marker that was not there yet comes last. */
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

export const isAnswer = (value: object): value is Answer => "status" in value && "body" in value && "headers" in value
