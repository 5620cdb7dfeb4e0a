import type { EventRow } from "@portico/store/EventLog"
import { type Broker, type Message, tooLarge } from "@portico/upstream/kafka/Broker"
import type { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { BusHealth } from "./BusHealth.ts"

/**
 * Sends these events, in order. An event that exceeds the broker's size limit must not block those
 * after it. A batch that is too large is sent event by event. A single event that is too large is
 * sent without its `data`, with the header `reduced`. An event that is still too large stays in the
 * database.
 */
export const deliver: (
  api: Broker,
  topic: string,
  events: ReadonlyArray<EventRow>
) => Effect.Effect<void, UpstreamError> = Effect.fnUntraced(function* (api, topic, events) {
  if (events.length === 0) return
  const { sent } = (yield* BusHealth).topicStatus(topic)
  yield* api.send(topic, events.map(messageOf)).pipe(
    Effect.tap(() => Effect.sync(() => void (sent.value += events.length))),
    Effect.catchIf(isTooLarge, () =>
      events.length === 1
        ? Effect.forEach(events, (event) => reduce(api, topic, event), { discard: true })
        : Effect.forEach(events, (event) => deliver(api, topic, [event]), { discard: true })
    )
  )
})

const reduce = Effect.fnUntraced(function* (api: Broker, topic: string, event: EventRow) {
  const { reduced } = (yield* BusHealth).topicStatus(topic)
  reduced.value += 1
  const { headers, key, value } = messageOf({ ...event, envelope: { ...event.envelope, data: {} } })
  yield* api.send(topic, [{ key, value, headers: { ...headers, reduced: "true" } }]).pipe(
    Effect.andThen(Effect.logError("an event is too large for Kafka and was sent without its data")),
    Effect.catchIf(isTooLarge, () => Effect.logError("an event is too large for Kafka and is not sent")),
    Effect.annotateLogs({ topic, id: event.id })
  )
})

const isTooLarge = ({ code }: UpstreamError): boolean => code !== undefined && tooLarge.has(code)

const messageOf = ({ envelope, id, key }: EventRow): Message => ({
  key,
  value: JSON.stringify(envelope),
  headers: {
    id,
    ...(typeof envelope["kind"] === "string" ? { kind: envelope["kind"] } : {}),
    "content-type": "application/json"
  }
})
