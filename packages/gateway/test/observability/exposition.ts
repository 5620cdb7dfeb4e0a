import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestGateway } from "../harness/TestGateway.ts"

/** One line of the text format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads the text format strictly: a line that fits none of its forms is a defect. */
export const samplesIn = (text: string): ReadonlyArray<Sample> =>
  text
    .split("\n")
    .filter((line) => line !== "" && !/^# (HELP|TYPE) [a-z][a-z0-9_]* ./.test(line))
    .map((line) => {
      const found = /^([a-z][a-z0-9_]*)(?:\{(.*)\})? (\+Inf|-?[\d.e+-]+)$/.exec(line)
      assert.isNotNull(found, line)
      const [, name = "", labels = "", value = ""] = found ?? []
      const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", word = ""]) => [key, word])
      // Prometheus keeps the label for summaries, which the gateway has none of.
      assert.notInclude(
        pairs.map(([key]) => key),
        "quantile",
        line
      )
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })

/** What the operator plane says of the process just now. */
export const metrics = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const answer = yield* call("operator", "GET", "/metrics")
  assert.strictEqual(answer.status, 200)
  return samplesIn(answer.text)
})

/** The sum of the samples with this name that have all of these labels. */
export const valueOf = (
  samples: ReadonlyArray<Sample>,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number =>
  samples
    .filter((_) => _.name === name && Object.entries(labels).every(([key, value]) => _.labels[key] === value))
    .reduce((sum, _) => sum + _.value, 0)
