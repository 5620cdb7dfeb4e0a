import { MailCounts } from "@portico/store/MailCounts"
import { DateTime, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  MailCounts,
  Effect.map(Memory, ({ deliveries, targets }) =>
    MailCounts.of({
      delivered: (projectId, since) =>
        Effect.sync(() => {
          const its = new Set(
            [...targets.values()].flatMap((_) =>
              _.project_id === projectId && _.kind === "email" ? [_.target_id] : []
            )
          )
          return [...deliveries.values()].filter(
            ({ finished_at, state, target_id }) =>
              its.has(target_id) &&
              state === "delivered" &&
              finished_at !== null &&
              DateTime.isGreaterThan(finished_at, since)
          ).length
        })
    })
  )
)
