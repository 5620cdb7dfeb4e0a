import { Transactions } from "@portico/store/Transactions"
import { Effect, Layer, Semaphore } from "effect"

export const layer = Layer.effect(
  Transactions,
  Effect.map(Semaphore.make(1), (admission) =>
    Transactions.of({
      // One step of a single process: nothing sees it half done, and the operations write last.
      atomically: (effect) => effect,
      exclusively: (_, effect) => admission.withPermits(1)(effect)
    })
  )
)
