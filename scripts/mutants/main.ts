import { outliveOutputs } from "@portico/simulator/outputs"
import { randomInt } from "node:crypto"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Coverage, measure, nothing, onlyInEverything } from "./coverage.ts"
import { drawn, everyCandidate } from "./draw.ts"
import { Judged } from "./judge.ts"
import { Lane } from "./Lane.ts"
import type { Scope } from "./Mutant.ts"
import { report } from "./report.ts"
import { plant } from "./tree.ts"

outliveOutputs()

const usage = `Usage: npm run mutants -- [--count N] [--seed N] [--from FILE] [--scope test|all] [--tests-seed N]
                          [--lanes N] [--cap SECONDS] [--out FILE]`

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "320" },
    seed: { type: "string", default: String(randomInt(2 ** 30)) },
    from: { type: "string" },
    scope: { type: "string", default: "all" },
    "tests-seed": { type: "string", default: "1" },
    lanes: { type: "string", default: "2" },
    cap: { type: "string", default: "150" },
    out: { type: "string", default: ".portico/mutants.json" }
  }
})
const numberOf = (name: "count" | "seed" | "tests-seed" | "lanes" | "cap"): number => {
  const number = Number(values[name])
  if (Number.isSafeInteger(number)) return number
  console.error(usage)
  return process.exit(2)
}
const [count, seed, testsSeed, cap] = [numberOf("count"), numberOf("seed"), numberOf("tests-seed"), numberOf("cap")]

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"))
const write = (file: string, value: unknown) => writeFileSync(file, `${JSON.stringify(value, undefined, 1)}\n`)
const beside = (name: string) => values.out.replace(/(\.json)?$/, `.${name}`)

const root = process.cwd()
const every = everyCandidate(root)
const wanted = values.from === undefined ? drawn(every, count, seed) : read(values.from)
const judged = new Judged(
  wanted,
  every,
  existsSync(values.out) ? read(values.out).filter((_: { outcome: string }) => _.outcome !== "pending") : []
)
const from = values.from ?? `seed ${seed}`
console.log(`${judged.mutants.length} of ${wanted.length} mutants, from ${from}. The stories' seed is ${testsSeed}.`)

const folder = mkdtempSync(join(tmpdir(), "portico-mutants-"))
// The embedded PostgreSQL may run as another user.
chmodSync(folder, 0o755)
const trees = Array.from({ length: numberOf("lanes") }, (_, index) =>
  plant(join(folder, String(index)), root, judged.mutants)
)

/** Judges what is still alive by the test files of a scope, and tells how they cover the mutants. */
const stage = async (scope: Scope, choose: (files: ReadonlyArray<string>) => ReadonlyArray<string>) => {
  const lanes = trees.map((root) => new Lane(root, scope, testsSeed))
  await Promise.all(lanes.map((_) => _.start()))
  // What a run that was stopped has found is taken as it is.
  const file = beside(`${scope}.json`)
  const coverage: Coverage = existsSync(file) ? read(file) : nothing()
  await measure(coverage, lanes, choose(lanes[0]?.files ?? []), judged.mutants, () => write(file, coverage))
  for (const _ of Object.values(coverage.red)) console.log(`Red without a mutant: ${_.file} ${_.test}: ${_.error}`)
  const alive = judged.alive(scope)
  console.log(`${alive.length} mutants to judge by ${scope === "all" ? "a run of everything" : "npm test"}`)
  const next = alive.values()
  await Promise.all(
    lanes.map(async (lane) => {
      for (const mutant of next) {
        await judged.judge(lane, scope, mutant, coverage, cap * 1000)
        write(values.out, judged.results)
      }
      await lane.stop()
    })
  )
  return coverage
}

for (const _ of ["SIGINT", "SIGTERM"]) process.on(_, () => process.exit(1))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
const inTest = await stage("test", (files) => files)
if (values.scope === "all" && judged.alive("all").length > 0) {
  await stage("all", (files) => onlyInEverything(inTest, files))
}
write(values.out, judged.results)
const said = report(judged.results, values.from === undefined ? [] : wanted)
writeFileSync(beside("txt"), said)
console.log(said)
