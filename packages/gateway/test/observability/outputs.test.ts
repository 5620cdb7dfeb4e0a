import { assert, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const repository = join(import.meta.dirname, "../../../..")

/** They meet the error of each of their writes themselves, and end as other command lines do: `cli/src/Screen.ts`. */
const commandLines = ["packages/cli/src/bin.ts", "packages/cli/src/dockerCredentialBin.ts"]

it("every program survives outputs that cannot be written", () => {
  const patterns = ["packages/*/src/**/*.ts", "scripts/**/main.ts", "examples/**/*.ts"]
  const sources = globSync(patterns, { cwd: repository, exclude: (_) => _.includes("node_modules") })
  const read = (file: string) => readFileSync(join(repository, file), "utf8")
  const programs = sources.filter((_) => _.startsWith("scripts/") || /\brunMain\(/.test(read(_)))
  assert.isAbove(programs.length, 10)
  const mortal = programs.filter((_) => !/^ *outliveOutputs\(\)$/m.test(read(_)))
  assert.deepStrictEqual(mortal.toSorted(), commandLines)
})
