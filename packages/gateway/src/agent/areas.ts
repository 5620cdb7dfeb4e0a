import { Areas } from "@portico/agent/Areas"
import { AgentAreas } from "@portico/store/AgentAreas"
import { Effect, Layer } from "effect"

export const AreasLive = Layer.effect(
  Areas,
  Effect.map(AgentAreas, (stored) =>
    Areas.of({
      of: ({ caller }) => stored.of(caller.userId),
      put: ({ caller }, areas) => stored.put(caller.userId, areas)
    })
  )
)
