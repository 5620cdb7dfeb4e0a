import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Cases } from "./Case.ts"

const wanted = (process.env["CONTRACT_RECORD"] ?? "").split(",")

/** Whether a client's outcomes of this run become what the next ones are compared with: `CONTRACT_RECORD=nova,rgw`, or `all`. */
export const isRecording = (client: string): boolean => wanted.includes(client) || wanted.includes("all")

const fileOf = (client: string) => join(import.meta.dirname, "recorded", `${client}.jsonl`)

interface Line {
  readonly case: string
  readonly outcome: unknown
}

/** What the cases of a client came to when they were last recorded: the real system's answers, where there is one. */
export const recorded = (client: string): ReadonlyMap<string, unknown> =>
  new Map(
    readFileSync(fileOf(client), "utf8")
      .split("\n")
      .filter((_) => _ !== "")
      .map((_): Line => JSON.parse(_))
      .map((_) => [_.case, _.outcome])
  )

/** One line a case, in the order of the cases. */
export const record = (client: string, cases: Cases, outcomeOf: (name: string) => unknown): void => {
  const lines = Object.keys(cases).map((name) => JSON.stringify({ case: name, outcome: outcomeOf(name) }))
  writeFileSync(fileOf(client), `${lines.join("\n")}\n`)
}
