import * as Pty from "@lydell/node-pty"
import xterm from "@xterm/headless"
import { Effect, type Scope } from "effect"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { eventually } from "../../../gateway/test/processes/children.ts"
import { portico } from "./programs.ts"

const keys = {
  enter: "\r",
  tab: "\t",
  escape: "\u001B",
  space: " ",
  backspace: "\u007F",
  up: "\u001B[A",
  down: "\u001B[B",
  right: "\u001B[C",
  left: "\u001B[D",
  "ctrl-c": "\u0003",
  "ctrl-d": "\u0004",
  "ctrl-u": "\u0015",
  "ctrl-z": "\u001A"
} as const

/** A program in a pseudo-terminal, and the screen that a person sees of it. */
export interface PseudoTerminal {
  readonly pid: number
  /** The visible lines without the blanks at their ends, and without the empty lines at the end. */
  readonly screen: () => string
  /** The same with all lines that were scrolled away. */
  readonly transcript: () => string
  /** Every byte that the program wrote, escape sequences included. */
  readonly written: () => string
  /** Waits until the transcript has it, and dies with the transcript when the program ends before that. */
  readonly waitFor: (text: string | RegExp) => Effect.Effect<void>
  /** As if typed on a keyboard: no Enter at the end. */
  readonly type: (text: string) => Effect.Effect<void>
  readonly press: (key: keyof typeof keys) => Effect.Effect<void>
  readonly resize: (columns: number, rows?: number) => Effect.Effect<void>
  /** Its exit code, or the signal that ended it, when everything that it wrote is on the screen. */
  readonly exit: Effect.Effect<number | NodeJS.Signals>
}

export interface Options {
  readonly columns?: number
  readonly rows?: number
  readonly cwd?: string
  /** Beside PATH, TERM, HOME and the XDG directories, which are always there, and in their place. */
  readonly env?: Readonly<Record<string, string>>
  /** The home directory; one of its own that is removed at the end, when absent. */
  readonly home?: string
}

/** A home directory of a story's own. */
export const emptyHome = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "portico-home-"))),
  (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))
)

/** What a person's shell gives a program: nothing of the environment of the tests but PATH. */
export const environmentOf = (home: string): Readonly<Record<string, string>> => {
  const xdg = {
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_RUNTIME_DIR: join(home, ".run")
  }
  for (const directory of Object.values(xdg)) mkdirSync(directory, { recursive: true, mode: 0o700 })
  return {
    ...xdg,
    HOME: home,
    LANG: "C.UTF-8",
    // A home that lives for one story would be given a cache in vain.
    NODE_DISABLE_COMPILE_CACHE: "1",
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    TERM: "xterm-256color"
  }
}

const linesOf = (terminal: xterm.Terminal, from: number): string => {
  const { active } = terminal.buffer
  const lines = Array.from(
    { length: active.length - from },
    (_, row) => active.getLine(from + row)?.translateToString(true) ?? ""
  )
  return lines.join("\n").trimEnd()
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

const isSignal = (name: string | undefined): name is NodeJS.Signals => name !== undefined && name in constants.signals

const start = (command: ReadonlyArray<string>, options: Options, home: string) => {
  const { columns: cols = 80, cwd = home, env = {}, rows = 24 } = options
  const [file = "", ...args] = command
  const terminal = new xterm.Terminal({ allowProposedApi: true, cols, rows, scrollback: 100_000 })
  const program = Pty.spawn(file, args, {
    // Whatever the environment says, it is TERM.
    name: env["TERM"] ?? "xterm-256color",
    cols,
    rows,
    cwd,
    env: { ...environmentOf(home), ...env }
  })
  const pieces: Array<string> = []
  program.onData((text) => {
    pieces.push(text)
    terminal.write(text)
  })
  // What a program asks its terminal, such as where the cursor is.
  terminal.onData((text) => program.write(text))
  const state: { ended?: number | NodeJS.Signals } = {}
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    program.onExit(({ exitCode, signal }) => {
      const name = signalNames.get(signal ?? 0)
      const end = isSignal(name) ? name : exitCode
      state.ended = end
      terminal.write("", () => resolve(end))
    })
  })
  return { ended, pieces, program, state, terminal }
}

/** Starts a program in a real pseudo-terminal. It is killed when the scope closes. */
export const pseudoTerminal = Effect.fnUntraced(function* (command: ReadonlyArray<string>, options: Options = {}) {
  const home = options.home ?? (yield* emptyHome)
  const { ended, pieces, program, terminal } = yield* Effect.acquireRelease(
    Effect.sync(() => start(command, options, home)),
    ({ ended, program, state, terminal }) =>
      Effect.promise(async () => {
        if (state.ended === undefined) program.kill("SIGKILL")
        await ended
        terminal.dispose()
      })
  )
  const transcript = () => linesOf(terminal, 0)
  const has = (text: string | RegExp) =>
    typeof text === "string" ? transcript().includes(text) : text.test(transcript())

  const waitFor: PseudoTerminal["waitFor"] = (text) => {
    const seen = eventually(
      Effect.suspend(() => (has(text) ? Effect.void : Effect.fail(`no ${String(text)} in:\n${transcript()}`)))
    )
    const gone = Effect.flatMap(
      Effect.promise(() => ended),
      (end) =>
        has(text) ? Effect.void : Effect.die(`it ended with ${end}, without ${String(text)} in:\n${transcript()}`)
    )
    return Effect.orDie(Effect.raceFirst(seen, gone))
  }

  const type = (text: string) => Effect.sync(() => program.write(text))
  return {
    pid: program.pid,
    screen: () => linesOf(terminal, terminal.buffer.active.baseY),
    transcript,
    written: () => pieces.join(""),
    waitFor,
    type,
    press: (key) => type(keys[key]),
    resize: (columns, rows = terminal.rows) =>
      Effect.sync(() => {
        terminal.resize(columns, rows)
        program.resize(columns, rows)
      }),
    exit: Effect.promise(() => ended)
  } satisfies PseudoTerminal
})

/** `portico` in a pseudo-terminal. */
export const porticoIn = (
  args: ReadonlyArray<string>,
  options?: Options
): Effect.Effect<PseudoTerminal, never, Scope.Scope> => pseudoTerminal([process.execPath, portico, ...args], options)
