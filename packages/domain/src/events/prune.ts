import { auditTopic, tenantTopics } from "@portico/contract/Events"
import { atOnce } from "@portico/store/rows"
import { EventLog } from "@portico/store/EventLog"
import { type RelayRow, Relays } from "@portico/store/Relays"
import { DateTime, Duration, Effect } from "effect"

/** The retention of events (contract, Limits: 30 days of audit; the other topics have the same). */
export const retention = Duration.days(30)

/** A relay with pending events tries at least once a minute; one without an attempt for this long was switched off. */
const switchedOff = Duration.days(7)

/**
 * Prunes events of all topics beyond the retention. Events that a relay has yet to send stay,
 * however old, unless the relay was switched off. Any replica may run it.
 */
export const pruneEvents = Effect.gen(function* () {
  const log = yield* EventLog
  const now = yield* DateTime.now
  const activeSince = DateTime.subtractDuration(now, switchedOff)
  const relays = (yield* (yield* Relays).all).filter((_) => DateTime.isGreaterThan(_.lease_ends, activeSince))
  const before = DateTime.subtractDuration(now, retention)
  for (const topic of yield* log.topics) {
    yield* Effect.repeat(log.prune(topic, before, positionOf(relays, topic)), { while: (_) => _ === atOnce })
  }
}).pipe(Effect.withSpan("events.prune"))

/** The position that all relays of a topic have reached; undefined without a relay. */
const positionOf = (relays: ReadonlyArray<RelayRow>, topic: string): number | undefined => {
  const positions = relays.filter((_) => carries(_.topic, topic)).map((_) => _.position)
  return positions.length === 0 ? undefined : Math.min(...positions)
}

/**
 * A relay's name is its destination and its topic: `kafka/api.audit`. A relay without a topic
 * carries the events that tenants receive.
 */
const carries = (relay: string, topic: string): boolean => {
  const name = relay.slice(relay.lastIndexOf("/") + 1)
  return name === topic || (isOfTenants(topic) && name !== auditTopic && !isOfTenants(name))
}

const isOfTenants = (topic: string): boolean => tenantTopics.some((_) => _ === topic)
