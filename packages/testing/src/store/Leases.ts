import { leaseTime, Leases, withinWorkTime } from "@portico/store/Leases"
import { Clock, Duration, Effect, Layer, Semaphore } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  Leases,
  Effect.map(Memory, ({ leases }) =>
    Leases.of({
      holding: (name, effect) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const found = leases.get(name)
          // A process that is dead does not give its lease back.
          const isOver = found === undefined || found.ends <= now
          const lease = isOver ? { turn: Semaphore.makeUnsafe(1), waiting: 0, ends: Number.POSITIVE_INFINITY } : found
          leases.set(name, lease)
          lease.waiting += 1
          const taken = Effect.map(Clock.currentTimeMillis, (at) => {
            lease.ends = at + Duration.toMillis(leaseTime)
          })
          return lease.turn
            .withPermits(1)(Effect.andThen(taken, withinWorkTime(name, effect)))
            .pipe(
              Effect.ensuring(
                Effect.sync(() => {
                  lease.waiting -= 1
                  if (lease.waiting === 0 && leases.get(name) === lease) leases.delete(name)
                })
              )
            )
        })
    })
  )
)
