import { ConfigProvider, Effect, Exit, Layer, Option } from "effect"
import type { CliFailure } from "../../src/CliFailure.ts"
import * as flags from "../../src/globalFlags.ts"
import { Output } from "../../src/output/Output.ts"
import { OutputFailed, Screen, Sides } from "../../src/Screen.ts"

export interface Given {
  /** The width of a terminal; without it, a file. */
  readonly columns?: number
  readonly output?: flags.Format
  readonly fields?: ReadonlyArray<string>
  readonly query?: string
  readonly quiet?: boolean
  readonly colors?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Called with each piece of standard output in place of keeping it. */
  readonly onWrite?: (text: string) => void
  /** What each write to either stream fails with. */
  readonly failing?: string
}

/** Runs what prints with streams of its own: standard output, standard error, and how it ended. */
export const printed = <A, E>(
  program: Effect.Effect<A, E, Output | Screen>,
  {
    colors = false,
    columns,
    env = { LANG: "C.UTF-8" },
    failing,
    fields,
    onWrite,
    output,
    query,
    quiet = false
  }: Given = {}
) =>
  Effect.gen(function* () {
    const written = { stdout: "", stderr: "" }
    const side = (stream: keyof typeof written) => ({
      isTerminal: columns !== undefined,
      columns: () => columns ?? 80,
      colors,
      write: (text: string) =>
        Effect.suspend(() => {
          if (failing !== undefined) return Effect.fail(new OutputFailed({ code: failing }))
          if (stream === "stdout" && onWrite !== undefined) onWrite(text)
          else written[stream] += text
          return Effect.void
        })
    })
    const exit: Exit.Exit<A, E | CliFailure> = yield* program.pipe(
      Effect.provide(Layer.provideMerge(Output.layer, Screen.layer({ quiet }))),
      Effect.provideService(Sides, { out: side("stdout"), err: side("stderr"), canAsk: false }),
      Effect.provideService(flags.Output, Option.fromUndefinedOr(output)),
      Effect.provideService(flags.Fields, fields),
      Effect.provideService(flags.Query, Option.fromUndefinedOr(query)),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
      Effect.exit
    )
    return { exit, ...written }
  })
