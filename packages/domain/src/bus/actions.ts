import { AgentEvent, agentTopic } from "@portico/contract/Events"
import { Credentials } from "@portico/store/Credentials"
import { EventLog, type NewEvent } from "@portico/store/EventLog"
import type { Received } from "@portico/upstream/kafka/Broker"
import { Kafka } from "@portico/upstream/kafka/Kafka"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { isLoginRefused } from "@portico/upstream/kafka/errors"
import { BusHealth } from "./BusHealth.ts"

/** What an agent reports is short; nobody fills the database with it. */
const mostBytes = 64 * 1024
const mostDepth = 32

/** How many events are written together. */
const batchSize = 200

/** As long as events are kept: an older one would be counted again after it was forgotten. */
const retention = Duration.days(30)

/**
 * Takes into the log what agents report to Kafka, from the oldest message that
 * is there, until something fails; then it is to be begun again. Messages are
 * noted as read when the log has them, so that one may be read again; its id
 * makes it one event. What is no event of an agent is passed over, and logged
 * without what is in it: anybody may have written it.
 */
export const receiveActions = Effect.gen(function* () {
  const { api } = yield* Kafka
  if (api === undefined) return
  const intake = (yield* BusHealth).intake()
  const joined = Effect.sync(() => {
    intake.deaf = false
    intake.loginRefused = false
  })
  yield* api.receive(agentTopic, { joined, handle: keep }).pipe(
    Effect.catchTag("UpstreamError", (error) => {
      intake.deaf = true
      intake.loginRefused = isLoginRefused(error)
      return Effect.logWarning(trouble).pipe(Effect.annotateLogs({ why: error.sentence }))
    }),
    Effect.catchDefect((defect) => Effect.logError(trouble, defect))
  )
})

const trouble = "what agents report cannot be taken from Kafka yet"

const keep = Effect.fn("bus.receive")(function* (messages: ReadonlyArray<Received>) {
  const intake = (yield* BusHealth).intake()
  const log = yield* EventLog
  const now = yield* DateTime.now
  for (let start = 0; start < messages.length; start += batchSize) {
    const batch = messages.slice(start, start + batchSize)
    const events = batch.flatMap((message) => eventOf(message, now) ?? [])
    const projects = yield* projectsOf(events.map((_) => _.key))
    yield* log.append(events.map((event) => rowOf({ ...event, project_id: projects.get(event.key) ?? null })))
    intake.kept.value += events.length
    const refused = batch.length - events.length
    if (refused === 0) continue
    intake.refused.value += refused
    yield* Effect.logWarning("messages on agent.actions are no events of agents and were passed over").pipe(
      Effect.annotateLogs({ messages: refused })
    )
  }
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(AgentEvent))

/** Undefined for what must not get into the log. */
const eventOf = ({ key, value }: Received, now: DateTime.Utc): AgentEvent | undefined => {
  if (value === null || Buffer.byteLength(value) > mostBytes || depthOf(value) > mostDepth) return undefined
  const event = Option.getOrUndefined(decode(value))
  // Order is kept by the message's key, and usage is counted by the event's. PostgreSQL can look for no NUL.
  if (event === undefined || event.key !== key || key.includes("\0") || isOurs(event.id)) return undefined
  const at = Option.getOrUndefined(DateTime.make(event.at))
  if (at === undefined || DateTime.isLessThan(at, DateTime.subtractDuration(now, retention))) return undefined
  // A clock that is ahead must not make a credential one that was used tomorrow.
  return { ...event, id: event.id.toLowerCase(), at: DateTime.formatIso(DateTime.min(at, now)) }
}

/** Ids that the gateway can make again (version 8) can be guessed: one of these would keep our own event out of the log. */
const isOurs = (id: string): boolean => id.charAt(14) === "8"

/** How deep its brackets go; looked at before anything that goes down with them. */
const depthOf = (json: string): number => {
  let depth = 0
  let deepest = 0
  for (const [sign] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (sign === "[" || sign === "{") deepest = Math.max(deepest, ++depth)
    else if (sign === "]" || sign === "}") depth -= 1
  }
  return deepest
}

/** Whose each of these users is, as our own records have it. Whoever is not in them is nobody's. */
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
