import { tenantTopics } from "@portico/contract/Events"
import { Deliveries, type NewDelivery } from "@portico/store/Deliveries"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import { type RelayRow, Relays } from "@portico/store/Relays"
import { Targets } from "@portico/store/Targets"
import { Transactions } from "@portico/store/Transactions"
import { Effect } from "effect"
import { matches } from "./matches.ts"

/** The events read at once. */
const batchSize = 200

/** The name of the stored position. It is not a topic. */
const relay = "deliveries"

/**
 * Adds a delivery for every new event in the log and each target that it matches, until no event is
 * left. One replica does it at a time. The same transaction stores the position, so each event is
 * added for each target exactly once, even when a replica dies.
 */
export const fanOut = Effect.gen(function* () {
  const relays = yield* Relays

  // Most runs find nothing, and should then write nothing.
  if ((yield* readBehind(yield* relays.position(relay), 1)).length === 0) return

  let held: RelayRow | undefined = yield* relays.claim(relay)
  while (held !== undefined) {
    const mine: RelayRow = held
    held = yield* Effect.onError(nextBatch(mine), () => relays.release(mine))
  }
}).pipe(Effect.withSpan("deliveries.fanOut"))

const readBehind = (after: number, limit: number) =>
  Effect.flatMap(EventLog, (log) =>
    log.read({ topics: tenantTopics, projectId: undefined, order: "asc", after, limit })
  )

/** Processes one batch. Undefined when no event is left, or another replica has taken the lease. */
const nextBatch = Effect.fnUntraced(function* (mine: RelayRow) {
  const relays = yield* Relays
  const events = yield* readBehind(mine.position, batchSize)
  const last = events.at(-1)
  if (last === undefined) {
    yield* relays.release(mine)
    return undefined
  }
  return yield* (yield* Transactions).atomically(
    Effect.gen(function* () {
      // This comes first: a replica that has lost the lease fails here, before it adds anything.
      const further = yield* relays.advance(mine, last.sequence)
      if (further !== undefined) yield* addAll(events)
      return further
    })
  )
})

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
