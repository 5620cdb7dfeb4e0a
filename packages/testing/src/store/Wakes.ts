import { Wakes } from "@portico/store/Wakes"
import { Effect, Layer } from "effect"
import { PersistedQueue } from "effect/persistence"
import { onCommit } from "./transaction.ts"

export const layer = Layer.effect(
  Wakes,
  Effect.map(Wakes, ({ schedule, take }) =>
    Wakes.of({ schedule: (id, wake, delay) => onCommit(schedule(id, wake, delay)), take })
  )
).pipe(Layer.provide(Wakes.overQueue), Layer.provide(PersistedQueue.layerStoreMemory))
