import { relayedTopics } from "@portico/contract/Events"
import { type EventRow, EventLog } from "@portico/store/EventLog"
import { type RelayRow, Relays } from "@portico/store/Relays"
import type { Broker } from "@portico/upstream/kafka/Broker"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { Clock, DateTime, Duration, Effect } from "effect"
import { isLoginRefused } from "@portico/upstream/kafka/errors"
import { BusHealth } from "./BusHealth.ts"
import { deliver } from "./deliver.ts"

/** The events read at once, and the bytes sent in one call: far below the default limit of brokers. */
const batchSize = 200
const batchBytes = 512 * 1024

/** The prefix of a topic's name in the table of relay positions. */
export const positionPrefix = "kafka/"

/** The longest time that the release of a lease may delay the shutdown. */
const releaseTime = Duration.seconds(1)

/**
 * Relays the log's events to Kafka, topic by topic, in the log's order, until no event is left. One
 * replica relays a topic at a time; the database stores its position. A batch whose response was
 * lost is sent again with the same ids, before any later event: for each key, the first delivery of
 * events is in the order in which they happened. While the brokers are down, nothing is skipped:
 * the topic pauses on all replicas, with a pause that grows to a minute. Nothing is removed from
 * the log.
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
  const relays = yield* Relays

  let held: RelayRow | undefined = yield* relays.claim(`${positionPrefix}${topic}`)
  while (held !== undefined) {
    const mine: RelayRow = held
    const events = fitting(yield* log.page(topic, mine.position, batchSize))
    const last = events.at(-1)
    if (last === undefined) {
      const seen = (yield* BusHealth).topicStatus(topic)
      seen.waiting = 0
      seen.lagSeconds = 0
      return yield* relays.release(mine)
    }
    held = yield* Effect.onInterrupt(relayBatch(api, mine, events, last.sequence), () =>
      Effect.asVoid(Effect.timeoutOption(relays.release(mine), releaseTime))
    )
  }
})

const relayBatch = Effect.fnUntraced(function* (
  api: Broker,
  mine: RelayRow,
  events: ReadonlyArray<EventRow>,
  upTo: number
) {
  const relays = yield* Relays
  const topic = mine.topic.slice(positionPrefix.length)
  const seen = (yield* BusHealth).topicStatus(topic)
  return yield* Effect.matchEffect(deliver(api, topic, events), {
    onSuccess: () => {
      seen.unanswered = false
      seen.loginRefused = false
      return relays.advance(mine, upTo)
    },
    onFailure: (error) => {
      const { sentence, status } = error
      seen.failures.value += 1
      seen.unanswered = status === null
      seen.loginRefused = isLoginRefused(error)
      return Effect.logWarning("events cannot be sent on to Kafka yet").pipe(
        Effect.annotateLogs({ topic, why: sentence, attempts: mine.failures + 1, position: mine.position }),
        Effect.andThen(relays.rest(mine)),
        Effect.as(undefined)
      )
    }
  })
})

/** The longest prefix that fits into one call, and at least one event. */
const fitting = (events: ReadonlyArray<EventRow>): ReadonlyArray<EventRow> => {
  let bytes = 0
  const end = events.findIndex(({ envelope }) => (bytes += JSON.stringify(envelope).length) > batchBytes)
  return end === -1 ? events : events.slice(0, Math.max(1, end))
}
