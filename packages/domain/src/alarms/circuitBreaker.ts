import type { Api } from "@portico/upstream/prometheus/Prometheus"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Duration, Effect } from "effect"

/** The longest wait for one query, so one alarm does not delay the others. */
const queryTimeout = Duration.seconds(15)

/** After this many unanswered queries in a row, the circuit opens. */
const failureThreshold = 3

/**
 * A circuit breaker around the monitoring, for one round of alarms. Once the monitoring has failed
 * to answer several times, the remaining alarms of the round fail at once instead of waiting.
 */
export const circuitBreaker = (api: Api): Pick<Api, "range"> => {
  let failures = 0
  const failed = (call: string, words: string) =>
    new UpstreamError({ upstream: "monitoring", call, status: null, detail: words })

  return {
    range: (call, expression, grid) =>
      Effect.suspend(() => {
        if (failures >= failureThreshold) return Effect.fail(failed(call, "it was just asked in vain"))
        return api.range(call, expression, grid).pipe(
          Effect.timeoutOrElse({
            duration: queryTimeout,
            orElse: () => Effect.fail(failed(call, `no answer within ${Duration.format(queryTimeout)}`))
          }),
          Effect.tap(() => Effect.sync(() => (failures = 0))),
          Effect.tapError((error) =>
            Effect.suspend(() => {
              if (error.transient) failures += 1
              return Effect.logWarning("measurements for an alarm cannot be read", error.summary)
            })
          )
        )
      })
  }
}
