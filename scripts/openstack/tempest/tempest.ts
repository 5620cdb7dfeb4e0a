import { spawned } from "../../../packages/gateway/test/processes/children.ts"
import { Console, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { NotInstalled, type Result } from "../Result.ts"

/** Where scripts/parts/tempest.sh installs it. */
const part = "/opt/portico-parts/tempest"

const python = join(import.meta.dirname, "python")

/** `package.module.Class.test[id-…,smoke]` is named without what stands in brackets. */
export const nameOf = (id: string): string => id.replace(/\[.*/, "")

const tool = Effect.fnUntraced(function* (folder: string, command: string) {
  return yield* spawned({
    command: ["/bin/sh", "-c", command],
    cwd: folder,
    settings: {
      // A plugin is found by its entry point, which lies beside it.
      PYTHONPATH: python,
      PYTHONWARNINGS: "ignore",
      PYTHONDONTWRITEBYTECODE: "1",
      TEMPEST_CONFIG_DIR: folder,
      TEMPEST: part,
      RESULTS: join(python, "results.py")
    }
  })
})

/** Runs a command of the installed Tempest in its folder, and returns what it printed. */
const printed = Effect.fnUntraced(function* (folder: string, command: string) {
  const child = yield* tool(folder, command)
  const code = yield* child.ended
  return code === 0 ? child.stdout() : yield* Effect.die(new Error(`${command}: ${child.stderr()}`))
}, Effect.scoped)

/** A folder for Tempest, with these settings and accounts. What was there is removed. */
export const workspace = Effect.fnUntraced(function* (
  folder: string,
  files: { readonly settings: string; readonly accounts: string }
) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* fs.exists(join(part, "stamp")))) {
    return yield* new NotInstalled({ message: "Tempest is not installed: run scripts/parts/tempest.sh, as root" })
  }
  yield* fs.remove(folder, { recursive: true, force: true })
  for (const inner of ["logs", "locks"]) yield* fs.makeDirectory(join(folder, inner), { recursive: true })
  yield* fs.writeFileString(join(folder, "tempest.conf"), files.settings)
  yield* fs.writeFileString(join(folder, "accounts.yaml"), files.accounts, { mode: 0o600 })
  const installed = (yield* printed(
    folder,
    `$TEMPEST/bin/python -c 'import tempest; print(tempest.__path__[0])'`
  )).trim()
  yield* fs.writeFileString(
    join(folder, ".stestr.conf"),
    `[DEFAULT]\ntest_path=${installed}/test_discover\ntop_dir=${installed}\ngroup_regex=([^\\.]*\\.)*\n`
  )
  yield* printed(folder, "$TEMPEST/bin/stestr init")
})

/** The ids of all tests that Tempest and its plugins have. */
export const allTests = (folder: string) =>
  Effect.map(printed(folder, "$TEMPEST/bin/stestr list"), (_) => _.split("\n").filter((line) => line.includes("[id-")))

/** Runs tests in two processes, and prints a line for each that fails. */
export const runTests = Effect.fnUntraced(function* (folder: string, ids: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFileString(join(folder, "tests"), `${ids.join("\n")}\n`)
  yield* Console.log(`${ids.length} tests; what goes on stands in ${folder}/progress`)
  const child = yield* tool(folder, `exec $TEMPEST/bin/stestr run --load-list tests --concurrency 2 >progress 2>&1`)
  yield* child.ended
  return yield* results(folder)
}, Effect.scoped)

/** What became of the tests of the last run in this folder. A class whose preparation fails has no result of its tests. */
export const results = (folder: string) =>
  Effect.map(printed(folder, "$TEMPEST/bin/stestr last --subunit | $TEMPEST/bin/python $RESULTS; true"), (lines) =>
    lines
      .split("\n")
      .filter((_) => _ !== "")
      .map((line): Result => {
        const { id, said, status } = JSON.parse(line)
        return { test: nameOf(id), status, said }
      })
  )
