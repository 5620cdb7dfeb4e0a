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

/** How events are sent to what tenants have subscribed. The pauses are the contract's: see docs/tenants/webhooks.md. */
export class DeliverySettings extends Context.Service<
  DeliverySettings,
  {
    /** An attempt is given up after it. */
    readonly attemptTime: Duration.Duration
    /** A target is disabled after so many events in a row that did not arrive, */
    readonly disableFailures: number
    /** when the first of them is so long ago. */
    readonly disableTime: Duration.Duration
    /** How many targets are sent to at a time, by this process. */
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

/** Between the attempts at one event: after the first, and after the second one. A third is the last. */
export const pauses: ReadonlyArray<Duration.Duration> = [Duration.seconds(1), Duration.seconds(5)]

/** Before the next event, after one that did not arrive. */
export const rest = Duration.seconds(30)

/** Deliveries are forgotten after it, as events are. */
export const keptFor = Duration.days(30)
