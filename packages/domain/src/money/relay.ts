import { lifecycleTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { Billing } from "@portico/upstream/billing/Billing"
import { Effect } from "effect"
import { relayEvents } from "../relay.ts"

/**
 * Forwards the billable lifecycle events of the log to the billing service, see {@link relayEvents}. The service
 * ignores the events that it has.
 */
export const relayBilling = Effect.gen(function* () {
  const { api } = yield* Billing
  if (api === undefined) return
  const log = yield* EventLog
  yield* relayEvents({
    name: lifecycleTopic,
    read: (after, limit) => log.page(lifecycleTopic, after, limit),
    handOn: (events, advance) => Effect.andThen(api.ingest(events.map((_) => _.envelope)), advance),
    stopped: "billable events cannot be sent on yet"
  })
}).pipe(Effect.withSpan("billing.relay"))
