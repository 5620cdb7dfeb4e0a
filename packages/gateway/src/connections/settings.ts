import { ceiling } from "@portico/domain/limits/ceiling"
import { Threads } from "@portico/domain/limits/Threads"
import type { Plane } from "@portico/domain/health/readiness"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Config, Effect, Schema } from "effect"
import { type ConnectionLimits, Connections } from "./Connections.ts"

/** The operator plane has few clients: operators and monitoring. */
const names = {
  customer: "CUSTOMER_CONNECTIONS",
  operator: "OPERATOR_CONNECTIONS",
  agent: "AGENT_CONNECTIONS"
} as const
const defaults = { customer: 4096, operator: 512, agent: 4096 } as const

/**
 * How long an idle connection stays, by default longer than what stands in front keeps it, so that the side that sends
 * the requests closes it: 60 s in nginx and an Application Load Balancer of AWS, 600 s in one of Google, an hour in
 * Envoy. At most a day, because a timer of Node for more than 24 days ends at once.
 */
const Idle = Schema.NumberFromString.check(Schema.isBetween({ minimum: 1, maximum: 86_400 }))
const LastIdle = Schema.NumberFromString.check(Schema.isBetween({ minimum: 0, maximum: 15 }))

/** The connection limits of a plane, from its settings. Each thread that serves the customer plane has its part. */
export const connectionLimits = Effect.fnUntraced(function* (plane: Plane) {
  const threads = yield* Threads
  const count = plane === "customer" && threads !== undefined ? threads.count : 1
  return {
    connections: Math.ceil((yield* ceiling(names[plane], defaults[plane])) / count),
    heldBytes: Math.ceil(((yield* ceiling("HELD_ANSWERS_MIB", 256)) * 1024 * 1024) / count),
    stall: (yield* ceiling("ANSWER_STALL_SECONDS", 30)) * 1000,
    idle: (yield* Config.schema(Idle, "KEEP_ALIVE_SECONDS").pipe(Config.withDefault(3700))) * 1000,
    head: 60_000,
    lastIdle: (yield* Config.schema(LastIdle, "STOP_KEEP_ALIVE_SECONDS").pipe(Config.withDefault(5))) * 1000
  } satisfies ConnectionLimits
})

/** The connections of a plane, with their metrics. */
export const connectionsOf = (plane: Plane, limits: ConnectionLimits): Effect.Effect<Connections> =>
  Effect.map(metricsRegistry, (all) => {
    const connections = new Connections(limits)
    const labels = { plane }
    all.gauge("portico_connections_open", "Open client connections.", labels, () => connections.open)
    all.gauge(
      "portico_connections_held_bytes",
      "Response bytes held in the process until clients read them.",
      labels,
      () => connections.heldBytes
    )
    all.counter(
      "portico_connections_refused_total",
      "Client connections refused because the connection limit was reached.",
      labels,
      () => connections.refused
    )
    all.counter(
      "portico_connections_cut_total",
      "Client connections closed because the client read nothing, or to make room for a new one.",
      labels,
      () => connections.cut
    )
    return connections
  })
