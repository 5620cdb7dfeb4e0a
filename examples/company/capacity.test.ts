import { assert, it } from "@effect/vitest"
import { showCapacity } from "@portico/domain/monitoring/capacity"
import { inTime } from "@portico/testing/clock"
import { Simulated } from "@portico/testing/cloud/Simulated"
import { Prometheus } from "@portico/upstream/prometheus/Prometheus"
import { storageSeries } from "@portico/upstream/prometheus/recorded"
import { Effect } from "effect"

/** A monitoring that knows nothing but how full the storage cluster is. Every other upstream is the simulated one. */
const fullStorage = Prometheus.of({
  api: {
    query: () =>
      Effect.succeed([
        { labels: { __name__: storageSeries.total }, at: 0, value: 1000 },
        { labels: { __name__: storageSeries.used }, at: 0, value: 999 }
      ]),
    range: () => Effect.succeed([])
  }
})

it.effect("the capacity of the platform shows how full the storage is", () =>
  Effect.gen(function* () {
    const { physical } = yield* inTime(showCapacity())
    assert.deepStrictEqual(physical.storage_bytes, { total: 1000, used: 999 })
  }).pipe(Effect.provideService(Prometheus, fullStorage), Effect.provide(Simulated))
)
