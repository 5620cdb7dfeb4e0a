import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Child, eventually, spawned } from "../processes/children.ts"

/** Whether a program is on this machine. */
export const isInstalled = (program: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0

/** The name that a story has without its part, so that nobody takes it for passed. */
export const named = (title: string, part: string, isHere: boolean): string =>
  isHere ? title : `${title}: NOT RUN, ${part} IS NOT INSTALLED`

/** A folder for as long as the scope. */
export const folder = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "portico-part-"))),
    (_) => Effect.sync(() => rmSync(_, { recursive: true, force: true }))
  ),
  (path) => ({
    path,
    at: (name: string) => join(path, name),
    write: (name: string, text: string, mode = 0o644) => {
      writeFileSync(join(path, name), text, { mode })
      return join(path, name)
    }
  })
)

/**
 * Starts a server in a process group of its own, which ends with it, and waits until it answers as it should. Dies with
 * what the server said when it ends before.
 */
export const serving = Effect.fnUntraced(function* <R>(
  command: ReadonlyArray<string>,
  answers: (child: Child) => Effect.Effect<boolean, never, R>,
  options: { readonly cwd?: string; readonly settings?: Readonly<Record<string, string>> } = {}
) {
  const child = yield* spawned({ settings: {}, ...options, command, group: true })
  const said = () => `${command[0]}: ${child.stdout()}${child.stderr()}`
  const up = eventually(Effect.flatMap(answers(child), (_) => (_ ? Effect.void : Effect.fail(said()))))
  const died = Effect.flatMap(child.ended, (code) => Effect.die(new Error(`ended with ${code}: ${said()}`)))
  yield* Effect.orDie(Effect.raceFirst(up, died))
  return child
})

/** Whether anything answers at an address with this status. */
export const answers = (url: string, ...statuses: ReadonlyArray<number>): Effect.Effect<boolean> =>
  Effect.tryPromise(() => fetch(url)).pipe(
    Effect.map((_) => statuses.includes(_.status)),
    Effect.orElseSucceed(() => false)
  )
