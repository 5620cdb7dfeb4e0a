import type { Caller } from "@portico/contract/Access"
import { type EventFilters, type EventPage, eventCursorOf, eventSequenceOf } from "@portico/contract/EventRoutes"
import { pageLimits } from "@portico/contract/Page"
import { DateTime, Effect, Option } from "effect"
import type { Plane } from "../health/readiness.ts"
import { kindsOf, findEvents } from "./EventFeed.ts"
import { settled } from "./Publisher.ts"
import { scopeOf } from "./scope.ts"

interface EventQuery extends EventFilters {
  readonly since?: string
  readonly until?: string
  readonly order: "asc" | "desc"
  readonly limit?: number
  readonly cursor?: string
}

/**
 * A page of the caller's events in the log's order. The log only grows at its end: a caller that
 * continues from `last_cursor` gets each event once, and misses none within the retention. The page
 * includes what this process has recorded before, unless the database is unavailable.
 *
 * Errors: 403 for budget events to callers that may not see costs; 404 for a tenant that names
 * another project; 409 for an administrator on the customer plane.
 */
export const readEvents = Effect.fn("events.read")(function* (caller: Caller, plane: Plane, query: EventQuery) {
  const { cursor = null, limit = pageLimits.usual, order, since, until } = query
  const scope = yield* scopeOf(caller, plane, query)
  yield* settled
  const wanted = { ...scope, kinds: kindsOf(query), since: millisOf(since), until: millisOf(until) }
  const after = cursor === null ? undefined : eventSequenceOf(cursor)
  const { last, matching, more } = yield* findEvents(wanted, order, after, limit)
  const last_cursor = last === undefined ? cursor : eventCursorOf(last)
  return {
    events: matching.map((_) => _.event),
    next_cursor: more ? last_cursor : null,
    last_cursor
  } satisfies EventPage
})

const millisOf = (text: string | undefined): number | undefined =>
  text === undefined
    ? undefined
    : Option.getOrUndefined(Option.map(DateTime.make(text.toUpperCase()), DateTime.toEpochMillis))
