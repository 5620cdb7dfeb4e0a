import { TargetKind } from "@portico/store/targetRows"
import { type Count, metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Effect, Layer } from "effect"

/** `pending` is a failed attempt that is retried. */
export type Outcome = "pending" | "delivered" | "failed"

/** The metrics of deliveries. */
export class DeliveryCounts extends Context.Service<
  DeliveryCounts,
  {
    attempted(kind: TargetKind, outcome: Outcome): void
    /** Sets the backlog of all tenants: the number of waiting events, and the age of the oldest in seconds. */
    waiting(count: number, seconds: number): void
  }
>()("portico/domain/deliveries/DeliveryCounts") {
  static readonly layer = Layer.effect(
    DeliveryCounts,
    Effect.gen(function* () {
      const all = yield* metricsRegistry
      const description = "Attempts to send an event to a webhook or an integration, by outcome."
      const counts = TargetKind.literals.flatMap((kind) =>
        outcomes.map((outcome): readonly [string, Count] => [
          kind + outcome,
          all.count("portico_delivery_attempts_total", description, { kind, outcome: names[outcome] })
        ])
      )
      const known = new Map(counts)
      const last = { count: 0, seconds: 0 }
      all.gauge(
        "portico_deliveries_waiting",
        "Events waiting to be sent to webhooks and integrations.",
        {},
        () => last.count
      )
      all.gauge(
        "portico_deliveries_oldest_waiting_seconds",
        "Age of the oldest event waiting to be sent, in seconds.",
        {},
        () => last.seconds
      )

      return DeliveryCounts.of({
        attempted: (kind, outcome) => {
          const count = known.get(kind + outcome)
          if (count !== undefined) count.value += 1
        },
        waiting: (count, seconds) => {
          last.count = count
          last.seconds = seconds
        }
      })
    })
  )
}

const outcomes = ["pending", "delivered", "failed"] as const

const names: Readonly<Record<Outcome, string>> = { pending: "retried", delivered: "delivered", failed: "given_up" }
