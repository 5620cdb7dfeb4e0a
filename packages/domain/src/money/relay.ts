import { lifecycleTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { type RelayRow, Relays } from "@portico/store/Relays"
import { Billing } from "@portico/upstream/billing/Billing"
import { Effect } from "effect"

/** How many events go in one call. */
const batchSize = 200

/**
 * Sends on to the billing service what the log has of billable life, in the
 * log's order, until there is nothing more. One replica sends at a time; how
 * far it came is in the database. A batch whose answer was lost is sent again,
 * and the service passes over what it has. While the service is down or
 * refuses, nothing is passed over: the topic rests for a pause that grows to a
 * minute, across all replicas. Nothing is removed from the log.
 */
export const relayBilling = Effect.gen(function* () {
  const { api } = yield* Billing
  if (api === undefined) return
  const log = yield* EventLog
  const relays = yield* Relays

  // Most looks find nothing, and should write nothing.
  const arrived = yield* relays.position(lifecycleTopic)
  if ((yield* log.page(lifecycleTopic, arrived, 1)).length === 0) return

  let held: RelayRow | undefined = yield* relays.claim(lifecycleTopic)
  while (held !== undefined) {
    const mine: RelayRow = held
    const events = yield* log.page(lifecycleTopic, mine.position, batchSize)
    const last = events.at(-1)
    if (last === undefined) return yield* relays.release(mine)
    held = yield* Effect.matchEffect(api.ingest(events.map((_) => _.envelope)), {
      onSuccess: () => relays.advance(mine, last.sequence),
      onFailure: ({ sentence }) =>
        Effect.logWarning("billable events cannot be sent on yet").pipe(
          Effect.annotateLogs({ why: sentence, attempts: mine.failures + 1, position: mine.position }),
          Effect.andThen(relays.rest(mine)),
          Effect.as(undefined)
        )
    })
  }
}).pipe(Effect.withSpan("billing.relay"))
