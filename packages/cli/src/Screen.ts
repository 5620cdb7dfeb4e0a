import { Config, Context, Data, Effect, Layer } from "effect"
import process from "node:process"
import { harmlessLines } from "./output/sanitize.ts"
import { fitted } from "./output/width.ts"

/**
 * Standard output cannot be written. It is a defect, so that no command goes on
 * by mistake; `run` ends the process for it.
 */
export class OutputFailed extends Data.TaggedError("OutputFailed")<{
  /** Of the system, such as `EPIPE` or `ENOSPC`. */
  readonly code: string
}> {}

/** One of the two streams that people read. */
export interface Side {
  readonly isTerminal: boolean
  /** Of the window, at the moment of the call; 80 where there is none. */
  readonly columns: () => number
  readonly colors: boolean
}

/** A stream that takes text. The effect is over when the stream has taken it: a slow reader slows the writer. */
export interface Writable extends Side {
  readonly write: (text: string) => Effect.Effect<void, OutputFailed>
}

/** For an error of the stream itself. */
export const outputFailedOf = (error: unknown): OutputFailed => {
  if (!(error instanceof Error)) return new OutputFailed({ code: String(error) })
  return new OutputFailed({ code: "code" in error ? String(error.code) : error.message })
}

const sideOf = (stream: NodeJS.WriteStream): Writable => {
  // Every error comes back to the write that met it; without a listener the first would end the process.
  stream.on("error", () => {})
  return {
    isTerminal: stream.isTTY === true,
    columns: () => (stream.isTTY ? stream.columns : 80),
    colors: stream.isTTY && stream.hasColors(),
    write: (text) =>
      Effect.callback((resume) => {
        stream.write(text, (error) => {
          const failed = error !== null && error !== undefined
          resume(failed ? Effect.fail(outputFailedOf(error)) : Effect.void)
        })
      })
  }
}

/** The streams of the process; a test has its own. */
export const Sides = Context.Reference<{
  readonly out: Writable
  readonly err: Writable
  readonly canAsk: boolean
}>("portico/cli/Sides", {
  defaultValue: () => ({
    out: sideOf(process.stdout),
    err: sideOf(process.stderr),
    canAsk: process.stdin.isTTY && process.stderr.isTTY
  })
})

const text = (name: string) => Config.String(name).pipe(Config.withDefault(""))

/**
 * `NO_COLOR` (https://no-color.org) before `FORCE_COLOR` and `CLICOLOR_FORCE`,
 * these before `CLICOLOR=0` and `TERM=dumb`, and these before what the stream is.
 */
export const colorsOf = Config.all({
  no: text("NO_COLOR"),
  force: text("FORCE_COLOR"),
  clicolorForce: text("CLICOLOR_FORCE"),
  clicolor: text("CLICOLOR"),
  term: text("TERM")
}).pipe(
  Config.map(({ clicolor, clicolorForce, force, no, term }) => (side: Side): boolean => {
    if (no !== "" || force === "0" || force === "false") return false
    if (force !== "" || (clicolorForce !== "" && clicolorForce !== "0")) return true
    return clicolor !== "0" && term !== "dumb" && side.colors
  })
)

/** Whether the locale is UTF-8, by the order of POSIX. */
const unicodeOf = Config.all([text("LC_ALL"), text("LC_CTYPE"), text("LANG")]).pipe(
  Config.map((locales) => /utf-?8/i.test(locales.find((_) => _ !== "") ?? ""))
)

interface Shape {
  readonly out: Side
  readonly err: Side
  /** Whether somebody can answer a question. */
  readonly canAsk: boolean
  /** Whether the locale is UTF-8; drawings are ASCII otherwise. */
  readonly unicode: boolean
  readonly quiet: boolean
  /** A result, with a line break behind it. */
  readonly print: (text: string) => Effect.Effect<void>
  /** A part of a result, as it is. */
  readonly write: (text: string) => Effect.Effect<void>
  /** A sentence for people; silent with `--quiet`. */
  readonly note: (text: string) => Effect.Effect<void>
  /**
   * The one line at the end of a terminal that is drawn again in place, below
   * what is printed meanwhile; undefined removes it. Nothing happens where
   * standard error is not a terminal, and with `--quiet`.
   */
  readonly status: (line: string | undefined) => Effect.Effect<void>
}

const erased = "\r\u001b[2K"

const screenOf = (
  sides: (typeof Sides)["Service"],
  options: { readonly quiet: boolean; readonly unicode: boolean; readonly colorsOf: (side: Side) => boolean }
): Shape => {
  const { canAsk, err, out } = sides
  const redraws = err.isTerminal && !options.quiet
  let live: string | undefined
  // A terminal behind standard error that is gone is no reason to stop.
  const toErr = (text: string) => Effect.ignore(err.write(text))
  const drawn = () => {
    if (live === undefined) return ""
    // A cut may have left a colour on.
    const reset = live.includes("\u001b") ? "\u001b[0m" : ""
    return fitted(live, err.columns() - 1, options.unicode ? "…" : "...") + reset
  }
  const write = (text: string) => {
    const writing = Effect.orDie(out.write(out.isTerminal ? harmlessLines(text) : text))
    if (live === undefined || !out.isTerminal) return writing
    return Effect.suspend(() => toErr(erased)).pipe(
      Effect.andThen(writing),
      Effect.andThen(Effect.suspend(() => toErr(drawn())))
    )
  }
  return {
    out: { ...out, colors: options.colorsOf(out) },
    err: { ...err, colors: options.colorsOf(err) },
    canAsk,
    unicode: options.unicode,
    quiet: options.quiet,
    print: (text) => Effect.suspend(() => write(`${text}\n`)),
    write: (text) => Effect.suspend(() => write(text)),
    note: (text) =>
      Effect.suspend(() => {
        if (options.quiet) return Effect.void
        const line = `${harmlessLines(text)}\n`
        return toErr(live === undefined ? line : `${erased}${line}${drawn()}`)
      }),
    status: (line) =>
      Effect.suspend(() => {
        const before = live
        live = redraws && line !== undefined ? harmlessLines(line).replaceAll("\n", " ") : undefined
        return before === undefined && live === undefined ? Effect.void : toErr(`${erased}${drawn()}`)
      })
  }
}

/** Where the command line writes: results on standard output, everything else on standard error. */
export class Screen extends Context.Service<Screen, Shape>()("portico/cli/Screen") {
  static readonly layer = (options: { readonly quiet: boolean }) =>
    Layer.effect(
      Screen,
      Effect.gen(function* () {
        const sides = yield* Sides
        const colors = yield* Effect.orDie(colorsOf)
        const unicode = yield* Effect.orDie(unicodeOf)
        return screenOf(sides, { quiet: options.quiet, unicode, colorsOf: colors })
      })
    )
}
