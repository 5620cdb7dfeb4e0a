import { auditTopic } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { DateTime, Duration, Effect } from "effect"

/** How long audit events are kept (contract, Limits). */
const retention = Duration.days(30)

/** Forgets audit events that are old enough. Every replica runs it. */
export const pruneAudit = Effect.gen(function* () {
  yield* (yield* EventLog).prune(auditTopic, DateTime.subtractDuration(yield* DateTime.now, retention))
}).pipe(Effect.withSpan("audit.prune"))
