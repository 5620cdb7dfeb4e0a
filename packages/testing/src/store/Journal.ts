import { Journal, type JournalEntry, lease, pauseAfter } from "@portico/store/Journal"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  Journal,
  Effect.gen(function* () {
    const { onboardings, tenants } = yield* Memory
    const now = Clock.currentTimeMillis
    const ended = (entry: JournalEntry, now: number) => DateTime.toEpochMillis(entry.lease_ends) <= now
    const after = (now: number, duration: Duration.Duration) => DateTime.makeUnsafe(now + Duration.toMillis(duration))
    const own = ({ attempt_id, lease }: JournalEntry) => {
      const held = onboardings.get(attempt_id)
      return lease !== null && held?.lease === lease ? held : undefined
    }
    const slugHeld = (slug: string) => [...onboardings.values()].some((_) => _.slug === slug && _.state !== "resting")

    const put = (entry: JournalEntry) => {
      onboardings.set(entry.attempt_id, entry)
      return entry
    }
    const taken = (entry: JournalEntry, now: number) =>
      put({
        ...entry,
        state: entry.state === "resting" ? "resting" : "withdrawing",
        withdrawals: entry.withdrawals + 1,
        withdrawn: [],
        lease: randomUUID(),
        lease_ends: after(now, lease)
      })

    return Journal.of({
      open: Effect.fnUntraced(function* (entry) {
        const at = yield* now
        if (slugHeld(entry.slug)) return yield* Effect.die(new Error(`an entry holds the slug ${entry.slug}`))
        return put({
          owner: null,
          ...entry,
          state: "running",
          failure: null,
          unsettled: false,
          project_id: null,
          done: [],
          withdrawn: [],
          left_behind: [],
          withdrawals: 0,
          started_at: DateTime.makeUnsafe(at),
          lease: randomUUID(),
          lease_ends: after(at, lease)
        })
      }),
      slugHeld: (slug) => Effect.sync(() => slugHeld(slug)),
      settle: (entry) =>
        Effect.map(now, (at) => {
          const held = own(entry)
          return held?.state === "running" && !ended(held, at) && onboardings.delete(held.attempt_id)
        }),
      turnBack: (entry, failure, unsettled) =>
        Effect.map(now, (at) => {
          const held = own(entry)
          if (held === undefined) return undefined
          const began = { state: "withdrawing", withdrawals: held.withdrawals + 1, withdrawn: [] } as const
          return put({ ...held, ...began, failure, unsettled, lease_ends: after(at, lease) })
        }),
      holds: (entry) =>
        Effect.map(now, (at) => {
          const held = own(entry)
          return held?.state === "running" && !ended(held, at)
        }),
      reopen: (entry, stamp) =>
        Effect.map(now, (at) => {
          const held = onboardings.get(entry.attempt_id)
          if (held === undefined && [...tenants.values()].some((_) => _.stamp === stamp)) return undefined
          const again = held ?? {
            ...entry,
            state: "resting" as const,
            failure: null,
            done: [],
            left_behind: [],
            withdrawals: 0
          }
          return put({
            ...again,
            project_id: again.project_id ?? entry.project_id,
            unsettled: true,
            withdrawals: again.withdrawals + 1,
            withdrawn: [],
            lease: randomUUID(),
            lease_ends: after(at, lease)
          })
        }),
      did: (entry, step) =>
        Effect.sync(() => {
          const held = own(entry)
          if (held !== undefined) put({ ...held, done: [...held.done, step] })
        }),
      withdrew: (entry, step) =>
        Effect.sync(() => {
          const held = own(entry)
          if (held !== undefined) put({ ...held, withdrawn: [...held.withdrawn, step] })
        }),
      locate: (entry, projectId) =>
        Effect.sync(() => {
          const held = own(entry)
          if (held !== undefined) put({ ...held, project_id: projectId })
        }),
      drop: (entry) =>
        Effect.sync(() => {
          if (own(entry) !== undefined) onboardings.delete(entry.attempt_id)
        }),
      rest: (entry) =>
        Effect.map(now, (at) => {
          const held = own(entry)
          if (held === undefined) return
          put({ ...held, state: "resting", left_behind: [], lease: null, lease_ends: after(at, lease) })
        }),
      stick: (entry, left) =>
        Effect.map(now, (at) => {
          const held = own(entry)
          if (held === undefined) return
          const state = held.state === "resting" ? "resting" : "stuck"
          const pauseEnds = after(at, pauseAfter(entry.withdrawals))
          put({ ...held, state, left_behind: left, lease: null, lease_ends: pauseEnds })
        }),
      claimAbandoned: Effect.map(now, (at) =>
        [...onboardings.values()].filter((_) => ended(_, at)).map((_) => taken(_, at))
      ),
      claim: (attemptId) =>
        Effect.map(now, (at) => {
          const entry = onboardings.get(attemptId)
          return entry !== undefined && (entry.lease === null || ended(entry, at)) ? taken(entry, at) : undefined
        }),
      find: (attemptId) => Effect.sync(() => onboardings.get(attemptId)),
      list: Effect.sync(() => [...onboardings.values()])
    })
  })
)
