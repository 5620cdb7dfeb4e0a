import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { summaryOf } from "./numbers.ts"
import { root } from "./proxy/processes.ts"
import { cell, concluded, type Part, ratio, shown } from "./results.ts"

const program = join(root, "dist/cli/dist/portico.js")
const rounds = 20

interface Started {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

/** The machine's Node, where it is another than the one of the repository. */
const nodes = (): ReadonlyArray<string> => {
  const own = spawnSync("sh", ["-c", "PATH=/usr/local/bin:/usr/bin:/bin command -v node"], { encoding: "utf8" })
  return [...new Set([process.execPath, own.stdout.trim()].filter((_) => _ !== ""))]
}

const isThere = ({ command: [file = "", ...args] }: Started): boolean => spawnSync(file, args).status === 0

const commandsIn = (directory: string): ReadonlyArray<Started> => {
  const empty = join(directory, "empty.js")
  writeFileSync(empty, "")
  const ours = nodes().flatMap((node) => {
    const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim()
    return [
      { name: `node ${version}`, command: [node, empty] },
      { name: `portico --version on ${version}`, command: [node, program, "--version"] },
      { name: `portico databases list --help on ${version}`, command: [node, program, "databases", "list", "--help"] }
    ]
  })
  const others = [
    { name: "kubectl version --client", command: ["kubectl", "version", "--client"] },
    { name: "gh --version", command: ["gh", "--version"] }
  ]
  return [...ours, ...others].filter(isThere)
}

/** Wall-clock time of whole processes, one after another, so that a busy moment of the machine meets all of them. */
const starts = Effect.acquireUseRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "portico-bench-"))),
  (directory) =>
    Effect.sync((): Part => {
      const env = { PATH: process.env["PATH"], HOME: directory, XDG_CACHE_HOME: directory }
      const commands = commandsIn(directory)
      const times = commands.map((): Array<number> => [])
      for (let round = -1; round < rounds; round++) {
        for (const [index, { command }] of commands.entries()) {
          const [file = "", ...args] = command
          const from = performance.now()
          spawnSync(file, args, { env, stdio: "ignore" })
          // The first of each fills its cache.
          if (round >= 0) times[index]?.push(performance.now() - from)
        }
      }
      const bare = times[0] ?? []
      const rows = commands.map(({ name }, index) => {
        const series = times[index] ?? []
        return [name, cell(summaryOf(series), 0), cell(summaryOf(ratio(series, bare)), 1)]
      })
      const goals = commands.flatMap(({ name }, index) =>
        name.startsWith("portico")
          ? [{ what: name, measured: summaryOf(times[index] ?? []), wanted: { atMost: 150 } }]
          : []
      )
      return {
        title: "From the start of a process to its end",
        rows: [["", "ms", "by a bare Node"], ...rows],
        notes: [],
        goals,
        numbers: Object.fromEntries(commands.map(({ name }, index) => [name, times[index]]))
      }
    }),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** How long the published command line takes to start. */
export const cliBench = Effect.gen(function* () {
  if (!existsSync(program)) return yield* Effect.fail(`There is no ${program}: npm run build makes it.`)
  yield* concluded("cli", "Milliseconds to start", [yield* shown("starts", starts)], {})
})
