import { until } from "@portico/testing/clock"
import { ConfigProvider, Console, Effect } from "effect"
import { run } from "../../src/run.ts"
import { Sides } from "../../src/Screen.ts"

/** Runs a command line whose output can be read while it runs, and after it was interrupted. */
export const live = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  columns?: number
) {
  const real = yield* Console.Console
  let written = ""
  const to = (...given: ReadonlyArray<unknown>) => void (written += `${given.map(String).join(" ")}\n`)
  const side = {
    isTerminal: columns !== undefined,
    columns: () => columns ?? 80,
    colors: false,
    write: (text: string) => Effect.sync(() => void (written += text))
  }
  const fiber = yield* run(args).pipe(
    Effect.provideService(Console.Console, { ...real, log: to, error: to }),
    Effect.provideService(Sides, { out: side, err: side, canAsk: false }),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
    Effect.forkChild
  )
  return {
    fiber,
    written: () => written,
    /** Waits until a text was written. */
    until: (text: string) => until(Effect.sync(() => written.includes(text)))
  }
})
