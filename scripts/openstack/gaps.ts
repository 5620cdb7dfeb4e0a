import { readFileSync } from "node:fs"
import { type ByClass, namesIn } from "./ByClass.ts"

/** Why tests that pass through the gateway on the real cloud cannot pass on the simulated one. */
export interface Gap {
  readonly because: string
  readonly tests: ReadonlySet<string>
}

const file: ReadonlyArray<{ readonly because: string; readonly tests: ByClass }> = JSON.parse(
  readFileSync(new URL("gaps.json", import.meta.url), "utf8")
)

export const gaps: ReadonlyArray<Gap> = file.map(({ because, tests }) => ({ because, tests: namesIn(tests) }))
