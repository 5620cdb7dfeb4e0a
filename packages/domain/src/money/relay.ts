import { lifecycleTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { type RelayRow, Relays } from "@portico/store/Relays"
import { Billing } from "@portico/upstream/billing/Billing"
import { Effect } from "effect"

/** How many events one call sends. */
const batchSize = 200

/**
 * Forwards the billable lifecycle events of the log to the billing service, in
 * the log's order, until none is left.
 *
 * One replica forwards at a time, and the database holds its position. A batch
 * whose answer was lost is sent again, and the service ignores the events that
 * it has. While the service is down or refuses a batch, nothing is skipped: the
 * topic pauses on all replicas, for up to a minute. Nothing is removed from the
 * log.
 */
export const relayBilling = Effect.gen(function* () {
  const { api } = yield* Billing
  if (api === undefined) return
  const log = yield* EventLog
  const relays = yield* Relays

  // Most runs find no new event. This read spares them the write of a claim.
  const position = yield* relays.position(lifecycleTopic)
  if ((yield* log.page(lifecycleTopic, position, 1)).length === 0) return

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
