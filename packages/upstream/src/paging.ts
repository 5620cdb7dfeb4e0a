import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { AnswerLimit, type System } from "./System.ts"
import { UpstreamError } from "./UpstreamError.ts"

/** More pages than any list has. A list beyond it counts as endless and fails. */
const maxPages = 2000

/**
 * All items of a list. The next page is requested by what was found before, by the last id or the number of items, and
 * never by the response's link, which names an internal host.
 *
 * Errors: the read's, and UpstreamError for an endless list.
 */
export const allPages = Effect.fnUntraced(function* <Item, E>(
  about: { readonly upstream: string; readonly call: string },
  read: (
    found: ReadonlyArray<Item>
  ) => Effect.Effect<{ readonly items: ReadonlyArray<Item>; readonly more: boolean }, E>
) {
  const found: Array<Item> = []
  for (let page = 0; page < maxPages; page++) {
    const { items, more } = yield* read(found)
    found.push(...items)
    if (!more || items.length === 0) return found
  }
  return yield* endless(about, maxPages)
})

/** The failure of a list that has more pages than any has. */
export const endless = (about: { readonly upstream: string; readonly call: string }, pages: number) =>
  new UpstreamError({ ...about, status: 200, detail: `its list does not end after ${pages} pages` })

/**
 * The most bytes of a page: some ten milliseconds of parsing, during which all other calls wait. Tenants choose how long
 * their things are: an image may have eight megabytes of properties.
 */
const longestPage = 2 * 1024 * 1024

/**
 * Reads the pages of one list, each of at most `longest` bytes and `most` items. When a page is longer, it is discarded
 * unparsed, and the same page is requested with a tenth of the items. After a page that fits, the limit doubles, so that
 * one long item does not make each later page a short one. A single item above `longest` is read with the ordinary
 * {@link AnswerLimit}, because the list of all tenants' resources must not fail over one of them.
 *
 * Errors: the read's.
 */
export const pagesThatFit = (most: number, longest = longestPage) => {
  let limit = most
  const fitting = <A, R>(
    read: (limit: number) => Effect.Effect<A, UpstreamError, R>
  ): Effect.Effect<A, UpstreamError, R> =>
    Effect.suspend(() => read(limit)).pipe(
      Effect.provideService(AnswerLimit, longest),
      Effect.tap(() => Effect.sync(() => (limit = Math.min(most, limit * 2)))),
      Effect.catchIf(
        (error) => error.isTooLong,
        () => {
          if (limit === 1) return read(limit)
          limit = Math.max(1, Math.floor(limit / 10))
          return fitting(read)
        }
      )
    )
  return fitting
}

/** A list of Nova, Cinder, Neutron or Octavia. */
export interface MarkerList<Item> {
  readonly path: string
  /** The key of the list in the response. */
  readonly collection: string
  readonly item: Schema.Codec<Item, unknown>
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly headers?: Readonly<Record<string, string>>
}

/** {@link allPages} of a list whose pages follow the last id and say in their links whether there is another. */
export const allByMarker = <Item extends { readonly id: string }>(
  system: System,
  { collection, headers = {}, item, path, query = {} }: MarkerList<Item>
) => {
  const call = `list ${collection.replaceAll("_", " ")}`
  const Page = Schema.Struct({
    items: Schema.Array(item),
    links: Schema.optionalKey(Schema.Array(Schema.Struct({ rel: Schema.String })))
  }).pipe(Schema.encodeKeys({ items: collection, links: `${collection}_links` }))
  return Effect.suspend(() => {
    const fitting = pagesThatFit(500)
    return allPages<Item, UpstreamError>({ upstream: system.upstream, call }, (found) =>
      Effect.map(
        fitting((limit) => {
          const urlParams = { ...query, limit: String(limit), ...markerOf(found) }
          return system.read(call, HttpClientRequest.get(path, { urlParams, headers }), Page)
        }),
        ({ items, links = [] }) => ({ items, more: links.some((_) => _.rel === "next") })
      )
    )
  })
}

/** The query for the page after these items. */
export const markerOf = (
  found: ReadonlyArray<{ readonly id: string; readonly marker?: string }>
): { readonly marker?: string } => {
  const last = found.at(-1)
  return last === undefined ? {} : { marker: last.marker ?? last.id }
}
