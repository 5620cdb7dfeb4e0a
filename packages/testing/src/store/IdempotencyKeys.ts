import {
  type Claimed,
  heldOf,
  IdempotencyKeys,
  type IdempotencyRow,
  type KeyedCall,
  keyLease,
  mine,
  pruneLimit
} from "@portico/store/IdempotencyKeys"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  IdempotencyKeys,
  Effect.map(Memory, ({ idempotencyKeys: keys }) => {
    const isOver = ({ expires_at, lease, lease_ends }: IdempotencyRow, now: number) =>
      DateTime.toEpochMillis(expires_at) <= now && (lease === null || hasEnded(lease_ends, now))
    const owned = ({ entry, lease }: Claimed) => {
      const held = keys.get(entry)
      return held?.lease === lease ? held : undefined
    }
    const withNow = <A>(act: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, act)
    const changed = (claimed: Claimed, to: Partial<IdempotencyRow>): boolean => {
      const held = owned(claimed)
      if (held !== undefined) keys.set(held.entry, { ...held, ...to })
      return held !== undefined
    }
    /** The row that keeps the call from being claimed. */
    const keeping = ({ entry, fingerprint }: KeyedCall, now: number) => {
      const held = keys.get(entry)
      return held === undefined ||
        isOver(held, now) ||
        (hasEnded(held.lease_ends, now) && held.fingerprint === fingerprint)
        ? undefined
        : held
    }
    const leaseFrom = (now: number) => DateTime.makeUnsafe(now + Duration.toMillis(keyLease))

    return IdempotencyKeys.of({
      claim: (call, kept) =>
        withNow((now) => {
          const held = keeping(call, now)
          if (held !== undefined) return heldOf(call, held)
          const lease = randomUUID()
          keys.set(call.entry, {
            ...call,
            lease,
            lease_ends: leaseFrom(now),
            status: null,
            headers: null,
            body: null,
            redacted: null,
            expires_at: DateTime.makeUnsafe(now + Duration.toMillis(kept))
          })
          return mine(call, lease)
        }),
      find: (call) =>
        withNow((now) => {
          const held = keeping(call, now)
          return held && heldOf(call, held)
        }),
      renew: (claimed) => withNow((now) => changed(claimed, { lease_ends: leaseFrom(now) })),
      answer: (claimed, answer) => Effect.sync(() => changed(claimed, { ...answer, lease: null, lease_ends: null })),
      release: (claimed) =>
        Effect.sync(() => {
          if (owned(claimed) !== undefined) keys.delete(claimed.entry)
        }),
      prune: withNow((now) => {
        const over = [...keys.values()].filter((_) => isOver(_, now)).slice(0, pruneLimit)
        for (const { entry } of over) keys.delete(entry)
        return over.length
      })
    })
  })
)

const hasEnded = (lease: DateTime.Utc | null, now: number): boolean =>
  lease !== null && DateTime.toEpochMillis(lease) <= now
