import { Context, Effect, Layer, Logger } from "effect"

/** What the gateway writes into its log, line by line, instead of the terminal. */
export class Logs extends Context.Service<
  Logs,
  {
    readonly lines: Effect.Effect<ReadonlyArray<string>>
    readonly forget: Effect.Effect<void>
  }
>()("portico/gateway/test/Logs") {
  /** Below a gateway: it hears what that writes, from its start on. */
  static readonly layer = Layer.unwrap(
    Effect.sync(() => {
      const lines: Array<string> = []
      const write = Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))
      const logs = Logs.of({
        lines: Effect.sync(() => [...lines]),
        forget: Effect.sync(() => void (lines.length = 0))
      })
      return Layer.merge(Layer.succeed(Logs, logs), Logger.layer([write]))
    })
  )
}
