import type { DevFile } from "../../src/start/DevFile.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { processTable } from "@portico/testing/processTable"
import { type Child, eventually, spawned } from "./children.ts"

/** An empty directory that is removed when the scope closes. */
export const emptyDirectory = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = mkdtempSync(join(tmpdir(), "portico-start-"))
    // For root the database runs as somebody else, and where that account cannot go it would keep its data elsewhere.
    chmodSync(directory, 0o711)
    return directory
  }),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const anyPorts = { CUSTOMER_PORT: "0", OPERATOR_PORT: "0", AGENT_PORT: "0", CLOUD_PORT: "0" }

/** Runs `npm start`, in a process group of its own as a terminal does. At the end of the scope nothing of it is left. */
export const npmStart = Effect.fnUntraced(function* (
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
  { args = [], ...where }: { readonly cwd?: string; readonly uid?: number; readonly args?: ReadonlyArray<string> } = {}
) {
  const child = yield* spawned({
    command: ["npm", "start", "--", ...args],
    settings: { ...anyPorts, PORTICO_DATA_DIR: dataDir, ...settings },
    group: true,
    ...where
  })
  // The database is in another group, which a kill of this one does not reach.
  yield* Effect.addFinalizer(() => Effect.ignore(isGone(child, child.signal("SIGTERM", "group"))))
  return child
})

export const devFileIn = (dataDir: string): DevFile => JSON.parse(readFileSync(join(dataDir, "dev.json"), "utf8"))

/** Waits until it says that it is up, and reads the file that it wrote. */
export const up = Effect.fnUntraced(function* (child: Child, dataDir: string) {
  const banner = eventually(
    Effect.gen(function* () {
      return yield* child.stdout().includes("Ctrl-C stops all of it")
        ? Effect.succeed(child.stdout())
        : Effect.fail(`it is not up: ${child.stdout()}${child.stderr()}`)
    })
  )
  const died = Effect.flatMap(child.ended, (code) => Effect.die(`it ended with ${code}: ${child.stderr()}`))
  return { banner: yield* Effect.orDie(Effect.raceFirst(banner, died)), dev: devFileIn(dataDir) }
})

/** A process and all that descends from it, in whatever group it is. */
const familyOf = (pid: number): ReadonlyArray<number> => {
  const parents = new Map(processTable().map((_) => [_.pid, _.parent]))
  const descends = (from: number): boolean => {
    const parent = parents.get(from)
    return from === pid || (parent !== undefined && parent > 1 && descends(parent))
  }
  return [...parents.keys()].filter(descends)
}

const commandsOf = (pids: ReadonlyArray<number>): ReadonlyArray<string> =>
  processTable()
    .filter((_) => pids.includes(_.pid))
    .map((_) => `${_.pid} ${_.command}`)

/** Whether a process of it runs this. */
export const runs = (child: Child, what: string): boolean =>
  commandsOf(familyOf(child.pid)).some((_) => _.includes(what))

/** Waits until neither it nor anything that it started is left. */
const isGone = Effect.fnUntraced(function* (child: Child, end: Effect.Effect<void>) {
  const family = familyOf(child.pid)
  yield* end
  yield* eventually(Effect.try(() => assert.deepStrictEqual(commandsOf(family), [])))
})

/** Does what should end all of it, and sees that it does. */
export const endsWhole = Effect.fnUntraced(function* (child: Child, end: Effect.Effect<void>) {
  assert.isTrue(runs(child, "start.ts"), "it is not running")
  yield* isGone(child, end)
})
