import { budgetTopic, tenantTopics } from "@portico/contract/Events"
import { Deliveries, type NewDelivery } from "@portico/store/Deliveries"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import { type TargetEntry, Targets } from "@portico/store/Targets"
import { Transactions } from "@portico/store/Transactions"
import { Effect } from "effect"
import { relayEvents } from "../relay.ts"

/**
 * Adds a delivery for every new event in the log and each target that it matches, until no event is
 * left. The same transaction stores the position, so each event is added for each target exactly
 * once, even when a replica dies.
 */
export const fanOut = Effect.gen(function* () {
  const log = yield* EventLog
  const { atomically } = yield* Transactions
  yield* relayEvents({
    name: "deliveries",
    read: (after, limit) => log.read({ topics: tenantTopics, projectId: undefined, order: "asc", after, limit }),
    // The position comes first: a replica that has lost the lease adds nothing.
    handOn: (events, advance) =>
      atomically(Effect.tap(advance, (held) => (held === undefined ? Effect.void : addAll(events)))),
    stopped: "events cannot be fanned out yet"
  })
}).pipe(Effect.withSpan("deliveries.fanOut"))

const addAll = Effect.fnUntraced(function* (events: ReadonlyArray<EventRow>) {
  const projectIds = [...new Set(events.flatMap((_) => projectOf(_) ?? []))]
  if (projectIds.length === 0) return
  const targets = Map.groupBy(yield* (yield* Targets).active(projectIds), (_) => _.project_id)
  const found = events.flatMap((event): ReadonlyArray<NewDelivery> => {
    const kind = kindOf(event)
    return (targets.get(projectOf(event) ?? "") ?? [])
      .filter((_) => event.sequence > _.from_sequence && matches(_, { topic: event.topic, kind }))
      .map(({ target_id }) => ({ target_id, event_id: event.id, topic: event.topic, kind, again: false }))
  })
  yield* (yield* Deliveries).add(found)
})

const projectOf = ({ envelope }: EventRow): string | undefined => {
  const projectId = envelope["project_id"]
  return typeof projectId === "string" ? projectId : undefined
}

const kindOf = ({ envelope }: EventRow): string => {
  const kind = envelope["kind"]
  return typeof kind === "string" ? kind : ""
}

/**
 * Whether a target is subscribed to an event, by topic and by kind; a `*` at the end of a kind
 * matches any rest. Budget events never match, because a caller that may create a target may lack
 * the right to see costs.
 */
export const matches = (
  { kinds, topics }: Pick<TargetEntry, "topics" | "kinds">,
  event: { readonly topic: string; readonly kind: string }
): boolean =>
  event.topic !== budgetTopic &&
  (topics.length === 0 || topics.includes(event.topic)) &&
  (kinds.length === 0 ||
    kinds.some((_) => (_.endsWith("*") ? event.kind.startsWith(_.slice(0, -1)) : event.kind === _)))
