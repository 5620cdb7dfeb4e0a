import type { Api } from "@portico/upstream/prometheus/Prometheus"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Duration, Effect } from "effect"

/** One alarm does not hold the others up for longer. */
const patience = Duration.seconds(15)

/** After so many questions in a row that nobody answered, nobody is there. */
const inVain = 3

/**
 * The monitoring for one round of alarms: when it does not answer, the rest of
 * the round does not wait for it, and finds it unreadable at once.
 */
export const sparing = (api: Api): Pick<Api, "range"> => {
  let failures = 0
  const failed = (call: string, words: string) =>
    new UpstreamError({ upstream: "monitoring", call, status: null, words })

  return {
    range: (call, expression, grid) =>
      Effect.suspend(() => {
        if (failures >= inVain) return Effect.fail(failed(call, "it was just asked in vain"))
        return api.range(call, expression, grid).pipe(
          Effect.timeoutOrElse({
            duration: patience,
            orElse: () => Effect.fail(failed(call, `no answer within ${Duration.format(patience)}`))
          }),
          Effect.tap(() => Effect.sync(() => (failures = 0))),
          Effect.tapError((error) =>
            Effect.suspend(() => {
              if (error.transient) failures += 1
              return Effect.logWarning("measurements for an alarm cannot be read", error.sentence)
            })
          )
        )
      })
  }
}
