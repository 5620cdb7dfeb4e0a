import { reconcileAlarms } from "@portico/domain/alarms/reconcile"
import { Config, Duration, Effect, Layer, Schedule } from "effect"
import { run } from "./run.ts"

/** Looks at the tenants' alarms. Every replica runs it; each alarm is looked at by one of them once in an interval. */
export const AlarmJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const seconds = yield* Config.Int("ALARMS_SECONDS").pipe(Config.withDefault(5))
    const interval = Duration.seconds(yield* Config.Int("ALARM_INTERVAL_SECONDS").pipe(Config.withDefault(60)))
    const grace = Duration.seconds(yield* Config.Int("ALARM_GRACE_SECONDS").pipe(Config.withDefault(300)))
    yield* run("alarms", "alarms are not looked at", reconcileAlarms({ interval, grace })).pipe(
      Effect.repeat(Schedule.spaced(Duration.seconds(seconds))),
      // The first time after the interval, so that a start asks nobody anything.
      Effect.delay(Duration.seconds(seconds)),
      Effect.forkScoped
    )
  })
)
