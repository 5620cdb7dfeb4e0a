import { Leases, withinWorkTime } from "@portico/store/Leases"
import { Effect, Layer, Semaphore } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  Leases,
  Effect.map(Memory, ({ leases }) =>
    Leases.of({
      holding: (name, effect) =>
        Effect.suspend(() => {
          const held = leases.get(name) ?? { turn: Semaphore.makeUnsafe(1), waiting: 0 }
          leases.set(name, { ...held, waiting: held.waiting + 1 })
          return held.turn
            .withPermits(1)(withinWorkTime(name, effect))
            .pipe(
              Effect.ensuring(
                Effect.sync(() => {
                  const left = (leases.get(name)?.waiting ?? 1) - 1
                  if (left === 0) leases.delete(name)
                  else leases.set(name, { ...held, waiting: left })
                })
              )
            )
        })
    })
  )
)
