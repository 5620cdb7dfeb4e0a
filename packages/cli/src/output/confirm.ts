import { Context, Effect, Terminal } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Prompt } from "../effectCli.ts"
import { Screen, Sides } from "../Screen.ts"
import { harmless } from "./sanitize.ts"

/**
 * The terminal on which questions are asked. They are on standard error, because
 * standard output has the results. A test has its own.
 */
export const Keyboard = Context.Reference<Effect.Effect<Terminal.Terminal, never, Terminal.Terminal>>(
  "portico/cli/Keyboard",
  {
    defaultValue: () =>
      Effect.gen(function* () {
        const terminal = yield* Terminal.Terminal
        const { err } = yield* Sides
        return Terminal.make({
          ...terminal,
          columns: Effect.sync(err.columns),
          display: (text) => Effect.ignore(err.write(text))
        })
      })
  }
)

/** Asks on standard error, in the colours that it has. */
export const ask = Effect.fnUntraced(function* <A>(prompt: Prompt.Prompt<A>) {
  const { err } = yield* Screen
  const write = (text: string) => Effect.flatMap(Sides, (_) => Effect.ignore(_.err.write(text)))
  return yield* Prompt.run(prompt).pipe(
    Effect.provideServiceEffect(Terminal.Terminal, yield* Keyboard),
    Effect.provideService(Prompt.Theme, Prompt.makeTheme({ colors: err.colors })),
    // What is said next begins below the question.
    Effect.tapErrorTag("QuitError", () => write("\n"))
  )
})

interface Asked {
  /** What is asked, such as `Delete the zone example.org.?` */
  readonly question: string
  /** Whether `--yes` was given: then nobody is asked. */
  readonly yes: boolean
  /** What has to be typed, where a mistake cannot be undone. Otherwise it is a yes or a no. */
  readonly word?: string | undefined
  /** Another name of the same, which is taken in place of `word`. */
  readonly alias?: string | undefined
}

/**
 * Goes on when a person agrees, or has agreed with `--yes`. Where nobody can be
 * asked, only `--yes` says it: a script that is run by mistake, or by a program
 * that a person only instructs, ends before it changes anything.
 */
export const confirm = Effect.fnUntraced(function* ({ alias, question, word, yes }: Asked) {
  const { canAsk } = yield* Screen
  if (yes) return
  if (!canAsk) {
    const why = word === undefined ? "Nothing was done, because" : "This cannot be undone, and"
    return yield* new CliFailure({
      exit: "usage",
      message: `${why} nobody can be asked here`,
      hint: "Add --yes if it is meant"
    })
  }
  const refusal = yield* ask(refusalOf(harmless(question), word, alias)).pipe(
    Effect.catchTag("QuitError", () => Effect.succeed("Nothing was done"))
  )
  if (refusal !== undefined) return yield* new CliFailure({ exit: "interrupted", message: refusal })
})

/** Why nothing is done; undefined when the person agrees. */
const refusalOf = (
  message: string,
  word: string | undefined,
  alias: string | undefined
): Prompt.Prompt<string | undefined> => {
  if (word === undefined) {
    return Prompt.map(Prompt.Confirm({ message }), (_) => (_ ? undefined : "Nothing was done"))
  }
  return Prompt.map(Prompt.String({ message }), (_) =>
    _ === word || _ === alias ? undefined : `Nothing was done: '${harmless(_)}' is not the name`
  )
}
