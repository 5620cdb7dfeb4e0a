import { AgentAreas, areasKept, type AgentAreasRow } from "@portico/store/AgentAreas"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  AgentAreas,
  Effect.map(Memory, ({ agentAreas }) => {
    const isKept = (row: AgentAreasRow, now: number) =>
      DateTime.toEpochMillis(row.changed_at) > now - Duration.toMillis(areasKept)
    return AgentAreas.of({
      of: (userId) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const row = agentAreas.get(userId)
          return row !== undefined && isKept(row, now) ? row.areas : []
        }),
      put: (userId, areas) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          for (const row of agentAreas.values()) if (!isKept(row, now)) agentAreas.delete(row.user_id)
          agentAreas.set(userId, { user_id: userId, areas, changed_at: DateTime.makeUnsafe(now) })
        })
    })
  })
)
