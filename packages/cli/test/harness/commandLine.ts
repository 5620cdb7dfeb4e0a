import { ConfigProvider, Console, Effect } from "effect"
import { StandardInput } from "../../src/StandardInput.ts"
import { run } from "../../src/run.ts"
import { type OutputFailed, Sides } from "../../src/Screen.ts"

export interface Ended {
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

export interface Around {
  readonly env?: Readonly<Record<string, string>>
  /** The width of a terminal; without it, both streams are files. */
  readonly columns?: number
  /** What comes in on standard input. */
  readonly stdin?: string | Uint8Array
  /** Called before each write to standard output: what it fails with, the command line meets. */
  readonly beforeWrite?: (text: string) => Effect.Effect<void, OutputFailed>
  /** Gets what is written while the command runs, for one that does not end by itself. */
  readonly written?: { stdout: string; stderr: string }
}

/** The profiles of whoever runs the tests stay out of them. */
const nobody = { HOME: "/nonexistent", PORTICO_TOKEN_STORE: "file" }

/** Runs a command line in this process, with an environment and streams of its own. */
export const commandLine = (
  args: ReadonlyArray<string>,
  { beforeWrite = () => Effect.void, columns, env = {}, stdin = "", written: given }: Around = {}
): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    // Of this run: an effect may be run again.
    const written = given ?? { stdout: "", stderr: "" }
    const real = yield* Console.Console
    const to =
      (stream: keyof typeof written) =>
      (...words: ReadonlyArray<unknown>) =>
        void (written[stream] += `${words.map(String).join(" ")}\n`)
    const captured: Console.Console = { ...real, log: to("stdout"), error: to("stderr") }
    const side = (stream: keyof typeof written) => ({
      isTerminal: columns !== undefined,
      columns: () => columns ?? 80,
      colors: false,
      write: (text: string) =>
        Effect.andThen(
          stream === "stdout" ? beforeWrite(text) : Effect.void,
          Effect.sync(() => void (written[stream] += text))
        )
    })
    const exit = yield* run(args).pipe(
      Effect.provideService(Console.Console, captured),
      Effect.provideService(
        StandardInput,
        Effect.succeed(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin)
      ),
      Effect.provideService(Sides, { out: side("stdout"), err: side("stderr"), canAsk: false }),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ ...nobody, ...env }))
    )
    return { exit, ...written }
  })
