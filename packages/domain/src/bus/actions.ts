import { agentActionKind, AgentEvent, agentTopic } from "@portico/contract/Events"
import { Credentials } from "@portico/store/Credentials"
import { EventLog, type NewEvent } from "@portico/store/EventLog"
import type { Received } from "@portico/upstream/kafka/Broker"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { isLoginRefused } from "@portico/upstream/kafka/errors"
import { BusHealth } from "./BusHealth.ts"

/** The largest event of an agent, in bytes, and its deepest nesting, so agents cannot fill the database. */
const maxBytes = 64 * 1024
const maxDepth = 32

/** The events written at once. */
const batchSize = 200

/** The retention of events: an older event could be counted again after it was pruned. */
const retention = Duration.days(30)

/**
 * Consumes the events that agents publish to Kafka and stores them in the log, from the oldest
 * available message on, until a failure; the caller then starts it again. Offsets are committed
 * after the log has the messages, so a message may be read again; its id deduplicates it. A message
 * that is not a valid agent event is skipped and logged without its content, because anyone may
 * have written it.
 */
export const receiveActions = Effect.gen(function* () {
  const { api } = yield* Kafka
  if (api === undefined) return
  const intake = (yield* BusHealth).intake()
  const joined = Effect.sync(() => {
    intake.unsubscribed = false
    intake.loginRefused = false
  })
  yield* api.receive(agentTopic, { joined, handle: keep }).pipe(
    Effect.catchTag("UpstreamError", (error) => {
      intake.unsubscribed = true
      intake.loginRefused = isLoginRefused(error)
      return Effect.logWarning(trouble).pipe(Effect.annotateLogs({ why: error.summary }))
    }),
    Effect.catchDefect((defect) => Effect.logError(trouble, defect))
  )
})

const trouble = "events of agents cannot be consumed from Kafka; it is tried again"

const keep = Effect.fn("bus.receive")(function* (messages: ReadonlyArray<Received>) {
  const intake = (yield* BusHealth).intake()
  const log = yield* EventLog
  const now = yield* DateTime.now
  for (let start = 0; start < messages.length; start += batchSize) {
    const read = messages.slice(start, start + batchSize).map((_) => ({ ..._, relayed: relayedOf(_) }))
    const returned = yield* log.known(read.flatMap((_) => _.relayed?.id.toLowerCase() ?? []))
    const batch = read.filter(
      ({ relayed }) => relayed === undefined || !(returned.has(relayed.id.toLowerCase()) || isPruned(relayed, now))
    )
    const events = batch.flatMap((message) => (message.relayed === undefined ? (eventOf(message, now) ?? []) : []))
    const projects = yield* projectsOf(events.map((_) => _.key))
    yield* log.append(events.map((event) => rowOf({ ...event, project_id: projects.get(event.key) ?? null })))
    intake.kept.value += events.length
    const refused = batch.length - events.length
    if (refused === 0) continue
    intake.refused.value += refused
    yield* Effect.logWarning("messages on agent.actions are not valid agent events and were skipped").pipe(
      Effect.annotateLogs({ messages: refused })
    )
  }
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(AgentEvent))

/**
 * The event of a message of the kind that only the gateway writes; undefined for every other message. The gateway's own
 * events come back from Kafka and are in the log. An event of that kind that is not in the log was written by somebody
 * else, who must not say what the gateway saw.
 */
const relayedOf = ({ value }: Received): AgentEvent | undefined => {
  if (value === null || !value.includes(agentActionKind) || depthOf(value) > maxDepth) return undefined
  const event = Option.getOrUndefined(decode(value))
  return event?.kind === agentActionKind ? event : undefined
}

/** The log has forgotten the gateway's own events that are as old as this. */
const isPruned = ({ at }: AgentEvent, now: DateTime.Utc): boolean =>
  Option.exists(DateTime.make(at), (_) => DateTime.isLessThan(_, DateTime.subtractDuration(now, retention)))

/** Undefined for a message that must not be stored. */
const eventOf = ({ key, value }: Received, now: DateTime.Utc): AgentEvent | undefined => {
  if (value === null || Buffer.byteLength(value) > maxBytes || depthOf(value) > maxDepth) return undefined
  const event = Option.getOrUndefined(decode(value))
  // Kafka orders by the message's key, and usage is counted by the event's, so they must be equal. PostgreSQL cannot
  // search for NUL.
  if (event === undefined || event.key !== key || key.includes("\0") || isOurs(event.id)) return undefined
  const at = Option.getOrUndefined(DateTime.make(event.at))
  if (at === undefined || DateTime.isLessThan(at, DateTime.subtractDuration(now, retention))) return undefined
  // A fast clock must not give a credential a last use in the future.
  return { ...event, id: event.id.toLowerCase(), at: DateTime.formatIso(DateTime.min(at, now)) }
}

/**
 * The gateway derives its ids (version 8), so anyone can guess them: an agent's event with such an
 * id would keep the gateway's own event out of the log.
 */
const isOurs = (id: string): boolean => id.charAt(14) === "8"

/** The nesting depth of its brackets, checked before any recursive parsing. */
const depthOf = (json: string): number => {
  let depth = 0
  let deepest = 0
  for (const [sign] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (sign === "[" || sign === "{") deepest = Math.max(deepest, ++depth)
    else if (sign === "]" || sign === "}") depth -= 1
  }
  return deepest
}

/** The projects of these users, by the gateway's own records; absent for an unknown user. */
const projectsOf = Effect.fnUntraced(function* (users: ReadonlyArray<string>) {
  const credentials = yield* Credentials
  const found = yield* Effect.forEach(
    new Set(users),
    (user) => Effect.map(credentials.findByUser(user), (row) => [user, row?.project_id] as const),
    { concurrency: 4 }
  )
  return new Map(found)
})

const rowOf = (event: AgentEvent): NewEvent => ({
  id: event.id,
  topic: event.topic,
  key: event.key,
  at: DateTime.makeUnsafe(event.at),
  envelope: event
})
