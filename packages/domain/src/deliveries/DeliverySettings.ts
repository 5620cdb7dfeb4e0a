import { Config, Context, Duration, Effect, Layer, Schema } from "effect"

const atLeast = (minimum: number) =>
  Schema.NumberFromString.check(
    Schema.isInt({ expected: "a whole number" }),
    Schema.isGreaterThanOrEqualTo(minimum, { expected: `at least ${minimum}` })
  )

const Seconds = atLeast(1)
const Hours = atLeast(0)
const Failures = atLeast(1)
const Workers = atLeast(4)

/** The settings of deliveries to tenants' targets. The contract fixes the pauses: see docs/tenants/webhooks.md. */
export class DeliverySettings extends Context.Service<
  DeliverySettings,
  {
    /** The timeout of an attempt. */
    readonly attemptTime: Duration.Duration
    /** A target is disabled after this many failed events in a row, */
    readonly disableFailures: number
    /** provided that the first of them is at least this long ago. */
    readonly disableTime: Duration.Duration
    /** How many targets this process serves at a time. */
    readonly workers: number
  }
>()("portico/domain/deliveries/DeliverySettings") {
  static readonly layer = Layer.effect(
    DeliverySettings,
    Effect.gen(function* () {
      const seconds = yield* Config.schema(Seconds, "WEBHOOK_ATTEMPT_SECONDS").pipe(Config.withDefault(5))
      const hours = yield* Config.schema(Hours, "WEBHOOK_DISABLE_HOURS").pipe(Config.withDefault(24))
      return DeliverySettings.of({
        attemptTime: Duration.seconds(seconds),
        disableFailures: yield* Config.schema(Failures, "WEBHOOK_DISABLE_FAILURES").pipe(Config.withDefault(20)),
        disableTime: Duration.hours(hours),
        workers: yield* Config.schema(Workers, "WEBHOOK_WORKERS").pipe(Config.withDefault(64))
      })
    })
  )
}

/** The pauses after the first and the second attempt at one event. The third attempt is the last. */
export const pauses: ReadonlyArray<Duration.Duration> = [Duration.seconds(1), Duration.seconds(5)]

/** The pause before the next event after a failed one. */
export const rest = Duration.seconds(30)

/** The retention of deliveries, the same as that of events. */
export const keptFor = Duration.days(30)
