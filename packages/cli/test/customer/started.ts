import { type Cause, ConfigProvider, Console, Effect, Fiber, Option, Queue, Terminal } from "effect"
import { Keyboard } from "../../src/output/confirm.ts"
import { run } from "../../src/run.ts"
import { Sides } from "../../src/Screen.ts"

export interface Person {
  readonly env?: Readonly<Record<string, string>>
  readonly columns: number
  /** What is typed when the command line asks; Enter is `\n`, Ctrl-C is `\u0003`. Nobody can be asked without it. */
  readonly types?: string
}

/** Keys of a keyboard, which come all at once. */
const keyboardOf = (types: string, display: (text: string) => void, columns: number) =>
  Terminal.make({
    columns: Effect.succeed(columns),
    rows: Effect.succeed(24),
    size: Effect.die("nobody asks"),
    readLine: Effect.die("nobody asks"),
    display: (text) => Effect.sync(() => display(text)),
    readInput: Effect.gen(function* () {
      const keys = yield* Queue.make<Terminal.UserInput, Cause.Done>()
      for (const key of types) {
        const ends = key === "\u0003"
        const name = key === "\n" ? "enter" : ends ? "c" : key
        yield* Queue.offer(keys, {
          input: ends ? Option.none() : Option.some(key),
          key: { name, ctrl: ends, meta: false, shift: false }
        })
        if (ends) yield* Queue.end(keys)
      }
      return keys
    })
  })

/** Begins a command line at a terminal; what it has written can be read while it runs, and after Ctrl-C. */
export const started = Effect.fnUntraced(function* (args: ReadonlyArray<string>, { columns, env = {}, types }: Person) {
  const real = yield* Console.Console
  const written = { stdout: "", stderr: "" }
  const to = (stream: keyof typeof written) => (text: string) => void (written[stream] += text)
  const captured: Console.Console = {
    ...real,
    log: (_: unknown) => to("stdout")(`${String(_)}\n`),
    error: (_: unknown) => to("stderr")(`${String(_)}\n`)
  }
  const side = (stream: keyof typeof written) => ({
    isTerminal: true,
    columns: () => columns,
    colors: false,
    write: (text: string) => Effect.sync(() => to(stream)(text))
  })
  const fiber = yield* run(args).pipe(
    Effect.provideService(Console.Console, captured),
    Effect.provideService(Sides, { out: side("stdout"), err: side("stderr"), canAsk: types !== undefined }),
    Effect.provideService(Keyboard, Effect.succeed(keyboardOf(types ?? "", to("stderr"), columns))),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ LANG: "C.UTF-8", ...env })),
    Effect.forkChild
  )
  return { fiber, written }
})

/** Runs a command line at a terminal to its end. */
export const atTerminal = Effect.fnUntraced(function* (args: ReadonlyArray<string>, person: Person) {
  const { fiber, written } = yield* started(args, person)
  const exit = yield* Fiber.join(fiber)
  return { exit, ...written }
})

/** The length of the longest line. */
export const widest = (text: string): number => Math.max(...text.split("\n").map((_) => _.length))
