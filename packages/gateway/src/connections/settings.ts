import type { Plane } from "@portico/domain/health/readiness"
import { metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Config, Effect, Schema } from "effect"
import { type ConnectionLimits, Connections } from "./Connections.ts"

/** Operators and what watches the gateway are few. */
const names = { customer: "CUSTOMER_CONNECTIONS", operator: "OPERATOR_CONNECTIONS" } as const
const usual = { customer: 4096, operator: 512 } as const

const atLeast = (minimum: number) =>
  Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(minimum))

/** The ceilings of a plane, by its settings. */
export const connectionLimits = (plane: Plane): Config.Config<ConnectionLimits> =>
  Config.all({
    connections: Config.schema(atLeast(1), names[plane]).pipe(Config.withDefault(usual[plane])),
    heldBytes: Config.schema(atLeast(1), "HELD_ANSWERS_MIB").pipe(
      Config.withDefault(256),
      Config.map((_) => _ * 1024 * 1024)
    ),
    stall: Config.schema(atLeast(1), "ANSWER_STALL_SECONDS").pipe(
      Config.withDefault(30),
      Config.map((_) => _ * 1000)
    )
  })

/** The connections of a plane, which the metrics count. */
export const connectionsOf = (plane: Plane, limits: ConnectionLimits): Effect.Effect<Connections> =>
  Effect.map(metricsRegistry, (all) => {
    const connections = new Connections(limits)
    const labels = { plane }
    all.gauge("portico_connections_open", "Connections of clients.", labels, () => connections.open)
    all.gauge(
      "portico_connections_held_bytes",
      "Bytes of answers that wait in the process for clients to read them.",
      labels,
      () => connections.heldBytes
    )
    all.counter(
      "portico_connections_refused_total",
      "Connections beyond the ceiling.",
      labels,
      () => connections.refused
    )
    all.counter(
      "portico_connections_cut_total",
      "Connections that were closed because their client read nothing, or to make room.",
      labels,
      () => connections.cut
    )
    return connections
  })
