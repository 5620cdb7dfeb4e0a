import {
  claimed,
  type ConsoleSessionRow,
  ConsoleSessions,
  endedMessage,
  ofPerson,
  pageLimit,
  pruneLimit,
  sessionLease
} from "@portico/store/ConsoleSessions"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory, MemoryChanges } from "./Memory.ts"

export const layer = Layer.effect(
  ConsoleSessions,
  Effect.gen(function* () {
    const { consoleSessions: sessions } = yield* Memory
    const changes = yield* MemoryChanges

    const put = (row: ConsoleSessionRow) => {
      sessions.set(row.session_hash, row)
      return row
    }
    const isOver = (at: DateTime.Utc, now: number) => DateTime.toEpochMillis(at) <= now
    const isFree = ({ lease, lease_ends }: ConsoleSessionRow, now: number) =>
      lease === null || (lease_ends !== null && isOver(lease_ends, now))
    const owned = ({ lease, session_hash }: Pick<ConsoleSessionRow, "session_hash" | "lease">) => {
      const held = sessions.get(session_hash)
      return lease !== null && held?.lease === lease ? held : undefined
    }
    const living = (plane: string, hash: string, now: number) => {
      const held = sessions.get(hash)
      return held?.plane === plane && !isOver(held.expires_at, now) ? held : undefined
    }
    const taken = (now: number) => ({
      lease: randomUUID(),
      lease_ends: DateTime.makeUnsafe(now + Duration.toMillis(sessionLease))
    })
    const noLease = { lease: null, lease_ends: null }
    const forgotten = ({ access_ends, expires_at }: ConsoleSessionRow, now: number) => ({
      sealed: "",
      expires_at: DateTime.min(expires_at, DateTime.max(access_ends, DateTime.makeUnsafe(now)))
    })
    const withNow = <A>(act: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, act)
    /** Publishes after the change is visible, or a subscriber would read the old row. */
    const announced = (change: Effect.Effect<ConsoleSessionRow | undefined>) =>
      Effect.tap(change, (row) => (row === undefined ? Effect.void : changes.tell(endedMessage(row))))

    return ConsoleSessions.of({
      insert: (session) =>
        withNow((now) => {
          const stored = [...sessions.values()].filter((_) => _.person === session.person && !isOver(_.expires_at, now))
          if (stored.length >= ofPerson.stored) return undefined
          return put({
            ...session,
            former_hash: null,
            renewed_at: DateTime.makeUnsafe(now),
            ...noLease,
            ended_at: null,
            due_at: null,
            failures: 0
          })
        }),
      surplus: (person) =>
        withNow((now) =>
          [...sessions.values()]
            .filter((_) => _.person === person && _.ended_at === null && !isOver(_.expires_at, now))
            .toSorted(
              (a, b) =>
                DateTime.toEpochMillis(b.renewed_at) - DateTime.toEpochMillis(a.renewed_at) ||
                (a.session_hash < b.session_hash ? -1 : 1)
            )
            .slice(ofPerson.inUse)
            .map(({ plane, session_hash }) => ({ plane, session_hash }))
        ),
      find: (plane, hash) => withNow((now) => living(plane, hash, now)),
      claim: ({ access_hash, session_hash }) =>
        withNow((now) => {
          const held = sessions.get(session_hash)
          return held === undefined ||
            held.access_hash !== access_hash ||
            held.ended_at !== null ||
            isOver(held.expires_at, now) ||
            !isFree(held, now)
            ? undefined
            : put({ ...held, ...taken(now) })
        }),
      renewed: (claim, { access_ends, access_hash, expires_at, sealed }) =>
        withNow((now) => {
          const held = owned(claim)
          if (held === undefined) return undefined
          const renewed_at = DateTime.makeUnsafe(now)
          const shown = { access_hash, former_hash: held.access_hash, access_ends, renewed_at }
          return put({ ...held, ...noLease, sealed, expires_at, ...(held.ended_at === null ? shown : {}) })
        }),
      release: (claim) =>
        withNow((now) => {
          const held = owned(claim)
          if (held !== undefined) put({ ...held, lease_ends: DateTime.makeUnsafe(now) })
        }),
      refuse: (claim) =>
        announced(
          withNow((now) => {
            const held = owned(claim)
            const ended_at = held?.ended_at ?? DateTime.makeUnsafe(now)
            return held && put({ ...held, ...noLease, ...forgotten(held, now), ended_at, due_at: null })
          })
        ),
      end: (plane, hash) =>
        announced(
          withNow((now) => {
            const held = living(plane, hash, now)
            const at = DateTime.makeUnsafe(now)
            return held?.ended_at === null ? put({ ...held, ended_at: at, due_at: at }) : undefined
          })
        ),
      claimEnded: (only) =>
        withNow((now) =>
          [...sessions.values()]
            .filter(({ due_at, expires_at }) => due_at !== null && isOver(due_at, now) && !isOver(expires_at, now))
            .filter((_) => isFree(_, now) && (only === undefined || _.session_hash === only))
            .slice(0, claimed)
            .map((_) => put({ ..._, ...taken(now) }))
        ),
      revoked: (claim) =>
        withNow((now) => {
          const held = owned(claim)
          if (held !== undefined) put({ ...held, ...noLease, ...forgotten(held, now), due_at: null })
        }),
      postpone: (claim, pause) =>
        withNow((now) => {
          const held = owned(claim)
          const due_at = DateTime.makeUnsafe(now + Duration.toMillis(pause))
          if (held !== undefined) put({ ...held, ...noLease, due_at, failures: held.failures + 1 })
        }),
      endedTokens: withNow((now) =>
        [...sessions.values()].flatMap(({ access_ends, access_hash, ended_at, former_hash }) =>
          ended_at === null || isOver(access_ends, now) ? [] : [{ access_hash, access_ends, former_hash }]
        )
      ),
      isEnded: (hash) =>
        Effect.sync(() =>
          [...sessions.values()].some((_) => (_.access_hash === hash || _.former_hash === hash) && _.ended_at !== null)
        ),
      page: (after) =>
        Effect.sync(() =>
          [...sessions.values()]
            .filter((_) => _.session_hash > after)
            .toSorted((a, b) => (a.session_hash < b.session_hash ? -1 : 1))
            .slice(0, pageLimit)
            .map(({ sealed, session_hash }) => ({ sealed, session_hash }))
        ),
      reseal: ({ sealed: before, session_hash }, sealed) =>
        Effect.sync(() => {
          const held = sessions.get(session_hash)
          if (held?.sealed !== before) return false
          put({ ...held, sealed })
          return true
        }),
      prune: withNow((now) => {
        const old = [...sessions.values()].filter((_) => isOver(_.expires_at, now)).slice(0, pruneLimit)
        for (const { session_hash } of old) sessions.delete(session_hash)
        return old.length
      })
    })
  })
)
