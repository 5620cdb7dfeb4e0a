import type { Caller } from "@portico/contract/Access"
import { type EventFilters, type EventPage, eventCursorOf, eventSequenceOf } from "@portico/contract/EventRoutes"
import { pageLimits } from "@portico/contract/Page"
import { DateTime, Effect, Option } from "effect"
import type { Plane } from "../health/readiness.ts"
import { kindsOf, lookFor } from "./EventFeed.ts"
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
 * A page of the caller's events in the order of the log, in which nothing ever
 * comes before what was read: whoever goes on from `last_cursor` has each of
 * them once, and misses none that is younger than the retention. What this
 * process has done before is in it, unless the database is away.
 *
 * Errors: 403 for money to those who may not see it; 404 for a tenant that
 * names another project; 409 for an administrator on the customer plane.
 */
export const readEvents = Effect.fn("events.read")(function* (caller: Caller, plane: Plane, query: EventQuery) {
  const { cursor = null, limit = pageLimits.usual, order, since, until } = query
  const scope = yield* scopeOf(caller, plane, query)
  yield* settled
  const wanted = { ...scope, kinds: kindsOf(query), since: millisOf(since), until: millisOf(until) }
  const after = cursor === null ? undefined : eventSequenceOf(cursor)
  const { events, last, more } = yield* lookFor(wanted, order, after, limit)
  const last_cursor = last === undefined ? cursor : eventCursorOf(last)
  return {
    events: events.map((_) => _.event),
    next_cursor: more ? last_cursor : null,
    last_cursor
  } satisfies EventPage
})

const millisOf = (text: string | undefined): number | undefined =>
  text === undefined
    ? undefined
    : Option.getOrUndefined(Option.map(DateTime.make(text.toUpperCase()), DateTime.toEpochMillis))
