import type { Plane } from "@portico/domain/health/readiness"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Config, Effect, Schema } from "effect"
import { type ConnectionLimits, Connections } from "./Connections.ts"

/** The operator plane has few clients: operators and monitoring. */
const names = { customer: "CUSTOMER_CONNECTIONS", operator: "OPERATOR_CONNECTIONS" } as const
const defaults = { customer: 4096, operator: 512 } as const

const atLeast = (minimum: number) =>
  Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(minimum))

/** The connection limits of a plane, from its settings. */
export const connectionLimits = (plane: Plane): Config.Config<ConnectionLimits> =>
  Config.all({
    connections: Config.schema(atLeast(1), names[plane]).pipe(Config.withDefault(defaults[plane])),
    heldBytes: Config.schema(atLeast(1), "HELD_ANSWERS_MIB").pipe(
      Config.withDefault(256),
      Config.map((_) => _ * 1024 * 1024)
    ),
    stall: Config.schema(atLeast(1), "ANSWER_STALL_SECONDS").pipe(
      Config.withDefault(30),
      Config.map((_) => _ * 1000)
    )
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
