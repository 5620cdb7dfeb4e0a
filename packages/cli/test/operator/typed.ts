import { NodeServices } from "@effect/platform-node"
import { type Cause, ConfigProvider, Console, Effect, Exit, Option, Queue, Terminal } from "effect"
import { rootOf } from "../../src/commands/root.ts"
import { Command } from "../../src/effectCli.ts"
import { Sides } from "../../src/Screen.ts"

/** What somebody types: the name of a key, or a text, letter by letter. */
export type Typed = "enter" | "down" | "y" | "n" | "ctrl-c" | { readonly text: string }

const keysOf = (typed: Typed): ReadonlyArray<Terminal.UserInput> => {
  const key = (name: string, input: string | undefined): Terminal.UserInput => ({
    input: Option.fromUndefinedOr(input),
    key: { name, ctrl: false, meta: false, shift: false }
  })
  if (typeof typed !== "string") return [...typed.text].map((_) => key(_, _))
  if (typed === "ctrl-c") return []
  return [key(typed, typed.length === 1 ? typed : undefined)]
}

/** Runs a command line on a terminal where somebody types. */
export const typed = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  keys: ReadonlyArray<Typed>
) {
  const real = yield* Console.Console
  let written = ""
  const to = (...given: ReadonlyArray<unknown>) => void (written += `${given.map(String).join(" ")}\n`)
  const write = (text: string) => Effect.sync(() => void (written += text))
  const side = { isTerminal: true, columns: () => 120, colors: false, write }
  const input = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
  yield* Queue.offerAll(input, keys.flatMap(keysOf))
  // A terminal ends its input on Ctrl-C.
  if (keys.includes("ctrl-c")) yield* Queue.end(input)
  const terminal = Terminal.make({
    columns: Effect.succeed(120),
    rows: Effect.succeed(40),
    size: Effect.flatMap(Queue.unbounded<Terminal.Size, Cause.Done>(), (_) =>
      Effect.as(Queue.offer(_, { columns: 120, rows: 40 }), _)
    ),
    readInput: Effect.succeed(input),
    readLine: Effect.die("unused"),
    display: write
  })
  const exit = yield* Command.runWith(rootOf({ args }), { version: "0" })(args).pipe(
    Effect.provideService(Console.Console, { ...real, log: to, error: to }),
    Effect.provideService(Sides, { out: side, err: side, canAsk: true }),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
    Effect.provideService(Terminal.Terminal, terminal),
    Effect.provide(NodeServices.layer),
    Effect.exit
  )
  return { isDone: Exit.isSuccess(exit), exit, written }
})
