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

/**
 * The page that `limit` and `marker` ask for, or the 400 they deserve. A page
 * that is exactly full has a next one, though it may turn out to be empty.
 */
export const pageOf = <Item extends Dated>(
  { query }: Incoming,
  all: ReadonlyArray<Item>,
  paged: boolean = true
): Page<Item> | Answer => {
  const sorted = all.toSorted(newestFirst)
  if (!paged) return { items: sorted, next: undefined }
  const [asked, marker, offset] = [query.get("limit"), query.get("marker"), query.get("offset")]
  for (const [name, text] of [
    ["limit", asked],
    ["offset", offset]
  ]) {
    if (typeof text === "string" && !/^\d+$/.test(text)) {
      return badRequest(
        `Invalid input for query parameters ${name}. Value: ${text}. '${text}' does not match '^[0-9]*$'`
      )
    }
  }
  const limit = Math.min(asked === null ? maxLimit : Number(asked), maxLimit)
  const at = marker === null ? -1 : sorted.findIndex((_) => _.id === marker)
  if (marker !== null && at < 0) return badRequest(`marker [${marker}] not found`)
  const start = at + 1 + Number(offset ?? 0)
  const items = sorted.slice(start, start + limit)
  const last = items.at(-1)
  return { items, next: last === undefined || items.length < limit ? undefined : nextQuery(query, last.id) }
}

const nextQuery = (query: URLSearchParams, marker: string): string => {
  const next = new URLSearchParams(query)
  next.delete("offset")
  next.set("marker", marker)
  return next.toString()
}

export const isAnswer = (value: object): value is Answer => "status" in value && "body" in value && "headers" in value
