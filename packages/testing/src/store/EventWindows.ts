import { EventWindows } from "@portico/store/EventWindows"
import { DateTime, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  EventWindows,
  Effect.map(Memory, ({ events }) =>
    EventWindows.of({
      of: (topic, { from, to }) =>
        Effect.sync(() => {
          const all = [...events.values()].filter((_) => _.topic === topic)
          const sorted = all.toSorted((a, b) => DateTime.toEpochMillis(a.at) - DateTime.toEpochMillis(b.at))
          return {
            newest: Math.max(0, ...all.map((_) => _.sequence)),
            above: from === undefined ? 0 : (sorted.findLast((_) => DateTime.isLessThan(_.at, from))?.sequence ?? 0),
            below:
              to === undefined ? undefined : sorted.find((_) => DateTime.isGreaterThanOrEqualTo(_.at, to))?.sequence
          }
        })
    })
  )
)
