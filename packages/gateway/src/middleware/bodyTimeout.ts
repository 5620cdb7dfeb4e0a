import { RequestTimeout } from "@portico/contract/Failures"
import { Config, Context, Duration, Effect, Layer, Schema } from "effect"

/**
 * Total time that a body may take which the gateway reads. A body that is streamed to an upstream has no such limit.
 */
export const BodyTimeout = Context.Reference<Duration.Duration>("portico/gateway/BodyTimeout", {
  defaultValue: () => Duration.seconds(30)
})

const Seconds = Schema.NumberFromString.check(Schema.isBetween({ minimum: 0.1, maximum: 3600 }))

export const layer = Layer.effect(
  BodyTimeout,
  Config.schema(Seconds, "REQUEST_BODY_SECONDS").pipe(Config.withDefault(30), Config.map(Duration.seconds))
)

/** Fails with 408 when the body is not complete in time. The rest of it is not awaited. */
export const inTime = <A, E, R>(
  body: Effect.Effect<A, E, R>
): Effect.Effect<A, E | RequestTimeout<"body_too_slow">, R> =>
  Effect.flatMap(BodyTimeout, (duration) =>
    Effect.timeoutOrElse(body, {
      duration,
      orElse: () => Effect.fail(RequestTimeout.body(Duration.toSeconds(duration)))
    })
  )
