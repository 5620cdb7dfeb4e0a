import { NotFound } from "@portico/contract/Failures"
import { Prometheus } from "@portico/upstream/prometheus/Prometheus"
import { Effect } from "effect"

/** The monitoring; 404 on a cloud that has none, as for any service that a cloud may lack. */
export const monitoringService = Effect.gen(function* () {
  const { api } = yield* Prometheus
  return api ?? (yield* NotFound.service("monitoring"))
})
