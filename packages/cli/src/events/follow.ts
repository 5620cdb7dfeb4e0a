import type { Received } from "@portico/client/createClient"
import type { PorticoError } from "@portico/client/PorticoError"
import type { Event, TenantTopic } from "@portico/contract/Events"
import { Effect, Stream } from "effect"
import type { Portico } from "../Portico.ts"

export interface Filters {
  readonly projectId?: string | undefined
  readonly topics: ReadonlyArray<TenantTopic>
  /** Whole, or the beginning of kinds with a `*` behind it. */
  readonly kinds: ReadonlyArray<string>
}

/** Where in the log to begin. */
export type Start =
  | { readonly _tag: "Now" }
  | { readonly _tag: "Behind"; readonly cursor: string }
  | { readonly _tag: "Since"; readonly at: string }

/** What the gateway filters. It knows whole kinds, twenty at most. */
const queryOf = ({ kinds, projectId, topics }: Filters) => ({
  project_id: projectId,
  topic: topics.length === 0 ? undefined : topics,
  kind: kinds.length === 0 || kinds.length > 20 || kinds.some((_) => _.includes("*")) ? undefined : kinds
})

/** Whether the filters let a kind pass, as a webhook's do. */
export const passes = (kinds: ReadonlyArray<string>, kind: string): boolean =>
  kinds.length === 0 || kinds.some((_) => (_.endsWith("*") ? kind.startsWith(_.slice(0, -1)) : kind === _))

/** The end of the log. Reading from there on misses no event that is recorded from now on. */
export const endOfLog = Effect.fnUntraced(function* ({ stream }: Portico, filters: Filters) {
  let end: string | undefined
  const onOpen = (cursor: string) => void (end = cursor)
  yield* Stream.runDrain(
    stream((_, signal) => _.events.tail({ ...queryOf(filters), timeout_seconds: 0 }, { signal, onOpen }))
  )
  return end
})

/**
 * The first event at or after a moment, and where to read on. The log has its own order, so that later events
 * may be of an earlier moment.
 */
const firstSince = Effect.fnUntraced(function* (portico: Portico, filters: Filters, since: string) {
  const end = yield* endOfLog(portico, filters)
  let cursor: string | undefined
  for (;;) {
    const query = { ...queryOf(filters), since, order: "asc", limit: 1, cursor } as const
    const page = yield* portico.use((_, signal) => _.events.list(query, { signal }))
    const [event] = page.events
    if (event !== undefined && page.last_cursor !== null) return { event, cursor: page.last_cursor }
    if (page.next_cursor === null) return { event: undefined, cursor: end }
    cursor = page.next_cursor
  }
})

export interface Options {
  /** In seconds; with 0 the stream ends at the end of the log. */
  readonly timeout?: number | undefined
  /** Called once, with the place from which on no event is missed. */
  readonly onOpen?: ((cursor: string) => void) | undefined
}

/** Events as they happen, each once and with the place behind it, whatever happens to connections, gateways and tokens. */
export const followed = (
  portico: Portico,
  filters: Filters,
  start: Start,
  { onOpen, timeout }: Options = {}
): Stream.Stream<Received<Event>, PorticoError> => {
  const behind = (cursor: string | undefined) =>
    portico.stream((_, signal) =>
      _.events.tail({ ...queryOf(filters), cursor, timeout_seconds: timeout }, { signal, onOpen })
    )
  const since = (at: string) =>
    Effect.map(firstSince(portico, filters, at), ({ cursor, event }) =>
      Stream.concat(
        event === undefined || cursor === undefined ? Stream.empty : Stream.succeed({ cursor, event }),
        behind(cursor)
      ).pipe(Stream.filter((_) => _.event.at >= at))
    ).pipe(Stream.unwrap)
  const all = start._tag === "Since" ? since(start.at) : behind(start._tag === "Behind" ? start.cursor : undefined)
  return Stream.filter(all, (_) => passes(filters.kinds, _.event.kind))
}
