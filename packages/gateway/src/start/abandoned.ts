import { Config, Effect, Layer, Option, Schedule } from "effect"

/**
 * Stops this process when the shell is gone that npm started it in: npm passes
 * a SIGTERM on to that shell, which ends, and tells nobody.
 */
export const StopWhenAbandoned = Layer.effectDiscard(
  Effect.gen(function* () {
    const script = yield* Config.option(Config.String("npm_lifecycle_event"))
    if (Option.isNone(script)) return
    const shell = process.ppid
    yield* Effect.sync(() => process.ppid).pipe(
      Effect.repeat({ while: (parent) => parent === shell, schedule: Schedule.spaced("200 millis") }),
      Effect.andThen(Effect.sync(() => process.kill(process.pid, "SIGTERM"))),
      Effect.forkScoped
    )
  })
)
