import { Config, Effect, Layer, Option, Schedule } from "effect"

/**
 * Stops this process when the shell is gone in which npm started it. npm passes a SIGTERM to that shell, which ends
 * without passing it on.
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
