import { NotFound } from "@portico/contract/Failures"
import { Prometheus } from "@portico/upstream/prometheus/Prometheus"
import { Effect } from "effect"

/** The monitoring API. Fails with 404 on a cloud that has none, like every optional service. */
export const monitoringService = Effect.gen(function* () {
  const { api } = yield* Prometheus
  return api ?? (yield* NotFound.service("monitoring"))
})
