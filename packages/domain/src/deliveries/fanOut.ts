import { tenantTopics } from "@portico/contract/Events"
import { Deliveries, type NewDelivery } from "@portico/store/Deliveries"
import { EventLog, type EventRow } from "@portico/store/EventLog"
import { type RelayRow, Relays } from "@portico/store/Relays"
import { Targets } from "@portico/store/Targets"
import { Transactions } from "@portico/store/Transactions"
import { Effect } from "effect"
import { matches } from "./matches.ts"

/** How many events are looked at together. */
const batchSize = 200

/** What the position is kept under. It is no topic. */
const relay = "deliveries"

/**
 * Writes down, for every event that has come into the log, to which targets it
 * is to be sent, until there is nothing more. One replica does it at a time.
 * How far it came is written in the same transaction, so that each event goes
 * to each target once, whoever dies when.
 */
export const fanOut = Effect.gen(function* () {
  const relays = yield* Relays

  // Most looks find nothing, and should write nothing.
  if ((yield* readBehind(yield* relays.position(relay), 1)).length === 0) return

  let held: RelayRow | undefined = yield* relays.claim(relay)
  while (held !== undefined) {
    const mine: RelayRow = held
    held = yield* Effect.onError(onwards(mine), () => relays.release(mine))
  }
}).pipe(Effect.withSpan("deliveries.fanOut"))

const readBehind = (after: number, limit: number) =>
  Effect.flatMap(EventLog, (log) =>
    log.read({ topics: tenantTopics, projectId: undefined, order: "asc", after, limit })
  )

/** One batch. Undefined when there is nothing more, or the lease has passed to another replica. */
const onwards = Effect.fnUntraced(function* (mine: RelayRow) {
  const relays = yield* Relays
  const events = yield* readBehind(mine.position, batchSize)
  const last = events.at(-1)
  if (last === undefined) {
    yield* relays.release(mine)
    return undefined
  }
  return yield* (yield* Transactions).atomically(
    Effect.gen(function* () {
      // First, because whoever has lost the lease here is kept from adding anything by the other's row.
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
