import { TargetKind } from "@portico/store/targetRows"
import { type Count, metricsRegistry } from "@portico/upstream/MetricsRegistry"
import { Context, Effect, Layer } from "effect"

/** `pending` is an attempt that failed and is followed by another one. */
export type Outcome = "pending" | "delivered" | "failed"

/** What is counted of deliveries. */
export class DeliveryCounts extends Context.Service<
  DeliveryCounts,
  {
    attempted(kind: TargetKind, outcome: Outcome): void
    /** Of all tenants, as it was last looked at: how many events wait, and for how many seconds the oldest has. */
    waiting(count: number, seconds: number): void
  }
>()("portico/domain/deliveries/DeliveryCounts") {
  static readonly layer = Layer.effect(
    DeliveryCounts,
    Effect.gen(function* () {
      const all = yield* metricsRegistry
      const description = "Attempts to send an event to a webhook or an integration, by what came of them."
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
        "Events that wait to be sent to webhooks and integrations.",
        {},
        () => last.count
      )
      all.gauge(
        "portico_deliveries_oldest_waiting_seconds",
        "How long the oldest of them has waited.",
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
