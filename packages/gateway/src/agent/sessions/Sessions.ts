import { singleFlight } from "@portico/upstream/SingleFlight"
import { TtlCache } from "@portico/upstream/TtlCache"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Clock, Context, Duration, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { type Endpoint, exchanged, requestTo } from "./exchange.ts"
import { type AgentSession, SessionIds, sessionOf } from "./SessionIds.ts"

/** Bounds of sessions. */
export const SessionBounds = Context.Reference("portico/gateway/agent/SessionBounds", {
  defaultValue: () => ({
    /** The longest life of a session, in milliseconds: that of an agent's credential. */
    age: Duration.toMillis(Duration.days(7)),
    /**
     * The idle time, in milliseconds, after which a process drops a session from memory. Its next use brings it back.
     */
    idle: Duration.toMillis(Duration.minutes(30)),
    /** The most sessions in the memory of this process: in all, and of one tenant. */
    inAll: 5_000,
    ofOne: 1_000
  })
})

/** The interval at which idle sessions are looked for. */
const sweepInterval = Duration.minutes(1)

/** The most ended sessions that the process remembers. */
const endedCapacity = 50_000

/** The state of a session in this process. */
interface Live {
  /** The id of the session in the library. */
  readonly innerId: string
  readonly owner: string
  usedAt: number
  /** The number of requests that use the session now. While there are any it stays, because its end would end them. */
  busy: number
}

export interface User {
  readonly userId: string
  /** The tenant, for the bounds. */
  readonly owner: string
}

/** A session in use. */
export interface Lease {
  readonly innerId: string
  /** Called when the request is over, once or more often. */
  readonly release: () => void
  /** Ends the session, because the client asked for that. */
  readonly end: () => void
}

/**
 * The sessions of agents. A client's session id holds the session itself, see `SessionIds`. When a process first sees
 * an id, it repeats `initialize` to make the state that the library needs, and it may drop that state at any time. So a
 * client can use any replica, and does not notice a restart. Two things exist in one process alone and are lost with
 * it: the log level that the client set, and questions to the client without an answer.
 *
 * An ended session stays ended in this process. Another replica still accepts its id until the session is too old. That
 * gives a caller no rights, because the gateway checks the token and the user of each request.
 */
export const makeSessions = Effect.fnUntraced(function* (endpoint: Endpoint) {
  const ids = yield* SessionIds.config
  const bounds = yield* SessionBounds
  const clock = yield* Clock.Clock
  const replays = yield* singleFlight<Live | undefined>()
  /** Sessions by id, in the order of their last use. */
  const live = new Map<string, Live>()
  const counts = new Map<string, number>()
  const ended = new TtlCache<true>(endedCapacity)
  const metrics = yield* metricsRegistry
  metrics.gauge("portico_agent_sessions", "Sessions of agents in the memory of this process.", {}, () => live.size)
  const replayed = metrics.count(
    "portico_agent_sessions_replayed_total",
    "Sessions of agents that this process took up, because another one began or dropped them.",
    {}
  )

  const drop = (id: string): Live | undefined => {
    const found = live.get(id)
    if (found === undefined) return undefined
    live.delete(id)
    const left = (counts.get(found.owner) ?? 1) - 1
    if (left === 0) counts.delete(found.owner)
    else counts.set(found.owner, left)
    return found
  }

  const end = (id: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const found = drop(id)
      if (found === undefined) return Effect.void
      return Effect.asVoid(exchanged(endpoint, requestTo("DELETE", { "mcp-session-id": found.innerId })))
    })

  /** The idle session that was not used for the longest time. */
  const oldestIdle = (isMeant: (id: string, session: Live) => boolean): string | undefined => {
    for (const [id, session] of live) if (session.busy === 0 && isMeant(id, session)) return id
    return undefined
  }

  /** Ends idle sessions, the oldest first, while the tenant or the process has too many. */
  const trim = (added: string, owner: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const own =
        (counts.get(owner) ?? 0) > bounds.ofOne
          ? oldestIdle((id, session) => id !== added && session.owner === owner)
          : undefined
      const surplus = own ?? (live.size > bounds.inAll ? oldestIdle((id) => id !== added) : undefined)
      return surplus === undefined ? Effect.void : Effect.andThen(end(surplus), trim(added, owner))
    })

  const began = (id: string, owner: string, innerId: string): Effect.Effect<Live> =>
    Effect.suspend(() => {
      const session = { innerId, owner, usedAt: clock.currentTimeMillisUnsafe(), busy: 0 }
      live.set(id, session)
      counts.set(owner, (counts.get(owner) ?? 0) + 1)
      return Effect.as(trim(id, owner), session)
    })

  const initialize = (params: unknown, id: string | number, headers: Readonly<Record<string, string | undefined>>) =>
    exchanged(
      endpoint,
      requestTo("POST", headers, JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params }))
    )

  const replay = Effect.fnUntraced(function* ({ id, initialized }: AgentSession, { owner }: User) {
    const { headers } = yield* initialize(initialized, 0, json)
    const innerId = headers["mcp-session-id"]
    if (innerId === undefined) return undefined
    if (headers["mcp-protocol-version"] !== initialized.protocolVersion) {
      yield* exchanged(endpoint, requestTo("DELETE", { "mcp-session-id": innerId }))
      return undefined
    }
    const told = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
    yield* exchanged(endpoint, requestTo("POST", { ...json, "mcp-session-id": innerId }, told))
    replayed.value += 1
    return yield* began(id, owner, innerId)
  }, Effect.uninterruptible)

  const leased = (session: AgentSession, found: Live): Lease => {
    found.busy += 1
    found.usedAt = clock.currentTimeMillisUnsafe()
    if (live.delete(session.id)) live.set(session.id, found)
    let isOver = false
    return {
      innerId: found.innerId,
      release: () => {
        if (!isOver) found.busy -= 1
        isOver = true
      },
      end: () => {
        drop(session.id)
        ended.keep(session.id, true, session.openedAt + bounds.age)
      }
    }
  }

  const sweep = Effect.suspend(() => {
    const before = clock.currentTimeMillisUnsafe() - bounds.idle
    const idle = [...live].filter(([, { busy, usedAt }]) => busy === 0 && usedAt < before)
    return Effect.forEach(idle, ([id]) => end(id), { discard: true })
  })
  yield* Effect.forkScoped(Effect.forever(Effect.delay(sweep, sweepInterval)))

  return {
    /**
     * Passes an `initialize` to the library, and gives its answer the client's session id.
     *
     * @returns undefined when the parameters are too long for a session id
     */
    begin: Effect.fnUntraced(function* (
      request: { readonly headers: Readonly<Record<string, string | undefined>>; readonly body: string },
      params: unknown,
      { owner, userId }: User
    ) {
      const answer = yield* exchanged(endpoint, requestTo("POST", request.headers, request.body))
      const innerId = answer.headers["mcp-session-id"]
      const protocolVersion = answer.headers["mcp-protocol-version"]
      if (innerId === undefined || protocolVersion === undefined) return { answer, id: undefined }
      const session = sessionOf(params, { now: clock.currentTimeMillisUnsafe(), protocolVersion, userId })
      const id = session === undefined ? undefined : ids.close(session)
      if (session === undefined || id === undefined) {
        yield* exchanged(endpoint, requestTo("DELETE", { "mcp-session-id": innerId }))
        return undefined
      }
      yield* began(session.id, owner, innerId)
      return { answer, id }
    }, Effect.uninterruptible) satisfies (
      ...args: never
    ) => Effect.Effect<
      { readonly answer: HttpServerResponse.HttpServerResponse; readonly id: string | undefined } | undefined
    >,
    /** The session of an id, for a request; undefined when the user has no such session. */
    use: Effect.fnUntraced(function* (id: string, user: User) {
      const session = ids.open(id)
      const now = clock.currentTimeMillisUnsafe()
      if (session === undefined || session.userId !== user.userId) return undefined
      if (session.openedAt + bounds.age <= now || ended.get(session.id, now) === true) return undefined
      const found = live.get(session.id) ?? (yield* replays.get(session.id, replay(session, user)))
      return found === undefined ? undefined : leased(session, found)
    })
  }
})

export type Sessions = Effect.Success<ReturnType<typeof makeSessions>>

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }
