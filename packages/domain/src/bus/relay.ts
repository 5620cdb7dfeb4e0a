import { agentActionKind, agentTopic, relayedTopics } from "@portico/contract/Events"
import { type EventRow, EventLog } from "@portico/store/EventLog"
import { Relays } from "@portico/store/Relays"
import type { Broker } from "@portico/upstream/kafka/Broker"
import { isLoginRefused } from "@portico/upstream/kafka/errors"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { Clock, DateTime, Effect } from "effect"
import { relayEvents } from "../relay.ts"
import { BusHealth } from "./BusHealth.ts"
import { deliver } from "./deliver.ts"

/** The bytes sent in one call: far below the default limit of brokers. */
const batchBytes = 512 * 1024

/** Logged when a call fails. */
export const stopped = "events cannot be sent on to Kafka yet"

/** The prefix of a topic's name in the table of relay positions. */
export const positionPrefix = "kafka/"

/**
 * Relays the log's events to Kafka, topic by topic, see {@link relayEvents}. A batch that is sent
 * again has the same ids: for each key, the first delivery of events is in the order in which they
 * happened.
 */
export const relayBus = Effect.gen(function* () {
  const { api } = yield* Kafka
  if (api === undefined) return
  const health = yield* BusHealth
  const now = yield* Clock.currentTimeMillis
  const backlogs = yield* (yield* Relays).backlogs(positionPrefix, relayedTopics)
  const behind = backlogs.filter(({ events, oldest, topic }) => {
    const seen = health.topicStatus(topic)
    seen.waiting = events
    seen.lagSeconds = oldest === null ? 0 : Math.max(0, (now - DateTime.toEpochMillis(oldest)) / 1000)
    // Another replica has sent what this one could not.
    if (events === 0) seen.unanswered = false
    return events > 0
  })
  yield* Effect.forEach(behind, ({ topic }) => relayTopic(api, topic), { concurrency: "unbounded", discard: true })
}).pipe(Effect.withSpan("bus.relay"))

const relayTopic = Effect.fnUntraced(function* (api: Broker, topic: string) {
  const log = yield* EventLog
  const seen = (yield* BusHealth).topicStatus(topic)
  const isDone = yield* relayEvents({
    name: `${positionPrefix}${topic}`,
    read: (after, limit) => Effect.map(log.page(topic, after, limit), fitting),
    handOn: (events, advance) =>
      Effect.matchEffect(deliver(api, topic, events.filter(isOurs)), {
        onSuccess: () => {
          seen.unanswered = false
          seen.loginRefused = false
          return advance
        },
        onFailure: (error) => {
          seen.failures.value += 1
          seen.unanswered = error.status === null
          seen.loginRefused = isLoginRefused(error)
          return Effect.fail(error)
        }
      }),
    stopped
  })
  if (!isDone) return
  seen.waiting = 0
  seen.lagSeconds = 0
})

/** What agent runtimes wrote came from Kafka, and has no place to go. */
const isOurs = ({ envelope, topic }: EventRow): boolean => topic !== agentTopic || envelope["kind"] === agentActionKind

/** The longest prefix that fits into one call, and at least one event. */
const fitting = (events: ReadonlyArray<EventRow>): ReadonlyArray<EventRow> => {
  let bytes = 0
  const end = events.findIndex(({ envelope }) => (bytes += JSON.stringify(envelope).length) > batchBytes)
  return end === -1 ? events : events.slice(0, Math.max(1, end))
}
