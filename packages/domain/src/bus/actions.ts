import { agentActionKind, AgentEvent, agentTopic } from "@portico/contract/Events"
import { Credentials } from "@portico/store/Credentials"
import { EventLog, type NewEvent } from "@portico/store/EventLog"
import type { Received } from "@portico/upstream/kafka/Broker"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { exceededBy, type JsonLimits } from "@portico/upstream/jsonLimits"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { isLoginRefused } from "@portico/upstream/kafka/errors"
import { BusHealth } from "./BusHealth.ts"

/** The largest event of an agent, in bytes, and what it may contain, so agents cannot fill the database. */
const maxBytes = 64 * 1024
const maxContent: JsonLimits = { depth: 32, values: 4_000 }

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
    const read = messages.slice(start, start + batchSize).map(({ key, value }) => ({ key, event: decoded(value) }))
    const returned = yield* log.known(read.flatMap(({ event }) => (isRelayed(event) ? event.id.toLowerCase() : [])))
    const batch = read.filter(
      ({ event }) => !isRelayed(event) || !(returned.has(event.id.toLowerCase()) || isPruned(event, now))
    )
    const events = batch.flatMap(({ event, key }) => storableOf(event, key, now) ?? [])
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

/** The event that a message holds, whoever wrote it; undefined when it holds none, or exceeds a limit. */
const decoded = (value: string | null): AgentEvent | undefined =>
  value === null || Buffer.byteLength(value) > maxBytes || exceededBy(value, maxContent) !== undefined
    ? undefined
    : Option.getOrUndefined(decode(value))

/**
 * Whether an event is of the kind that only the gateway writes. The gateway's own events come back from Kafka and are in
 * the log. One that is not in the log was written by somebody else, who must not say what the gateway saw.
 */
const isRelayed = (event: AgentEvent | undefined): event is AgentEvent & { kind: typeof agentActionKind } =>
  event?.kind === agentActionKind

/** The log has forgotten the gateway's own events that are as old as this. */
const isPruned = ({ at }: AgentEvent, now: DateTime.Utc): boolean =>
  Option.exists(DateTime.make(at), (_) => DateTime.isLessThan(_, DateTime.subtractDuration(now, retention)))

/** The event as it is stored; undefined when it must not be. @param key the message's */
const storableOf = (event: AgentEvent | undefined, key: string | null, now: DateTime.Utc): AgentEvent | undefined => {
  // Kafka orders by the message's key, and usage is counted by the event's, so they must be equal. PostgreSQL cannot
  // search for NUL.
  if (event === undefined || isRelayed(event) || event.key !== key || key.includes("\0") || isOurs(event.id)) {
    return undefined
  }
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
