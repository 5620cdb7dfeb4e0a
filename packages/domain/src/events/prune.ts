import { auditTopic, tenantTopics } from "@portico/contract/Events"
import { EventLog } from "@portico/store/EventLog"
import { type RelayRow, Relays } from "@portico/store/Relays"
import { DateTime, Duration, Effect } from "effect"

/** How long events are kept (contract, Limits: 30 days of audit; the other topics are kept as long). */
export const retention = Duration.days(30)

/** A relay that has something to send tries at least once a minute; one that has not tried for so long was switched off. */
const switchedOff = Duration.days(7)

/**
 * Forgets events of all topics that are old enough. What one of the relays has
 * yet to send on stays, however old it is, unless the relay was switched off.
 * Every replica runs it.
 */
export const pruneEvents = Effect.gen(function* () {
  const log = yield* EventLog
  const now = yield* DateTime.now
  const atWork = DateTime.subtractDuration(now, switchedOff)
  const relays = (yield* (yield* Relays).all).filter((_) => DateTime.isGreaterThan(_.lease_ends, atWork))
  const before = DateTime.subtractDuration(now, retention)
  for (const topic of yield* log.topics) yield* log.prune(topic, before, positionOf(relays, topic))
}).pipe(Effect.withSpan("events.prune"))

/** The place that all relays of a topic have reached; undefined without any. */
const positionOf = (relays: ReadonlyArray<RelayRow>, topic: string): number | undefined => {
  const positions = relays.filter((_) => carries(_.topic, topic)).map((_) => _.position)
  return positions.length === 0 ? undefined : Math.min(...positions)
}

/** A relay is named by its topic, behind where it leads to: `kafka/api.audit`. One without a topic carries what tenants hear of. */
const carries = (relay: string, topic: string): boolean => {
  const name = relay.slice(relay.lastIndexOf("/") + 1)
  return name === topic || (isOfTenants(topic) && name !== auditTopic && !isOfTenants(name))
}

const isOfTenants = (topic: string): boolean => tenantTopics.some((_) => _ === topic)
