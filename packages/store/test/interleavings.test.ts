import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Anomaly, anomaliesOf, type Lane, lane, pairsOf, type Scenario, wordsOf } from "./interleavings.ts"
import { people } from "./interleavings.people.ts"

const scenarios: ReadonlyArray<Scenario> = people

const isOf = ([a, b]: readonly [string, string], [c, d]: readonly [string, string]): boolean =>
  (a === c && b === d) || (a === d && b === c)

/** What goes wrong in a scenario, but for what its exceptions are for; and the exceptions that nothing needs. */
const judged = Effect.fnUntraced(function* (lane: Lane, scenario: Scenario) {
  const found = (yield* Effect.forEach(pairsOf(scenario), (pair) => anomaliesOf(lane, scenario, pair))).flat()
  const needed = (anomaly: Anomaly) => scenario.otherwise.some((_) => isOf(_.pair, anomaly.pair))
  return [
    ...found.filter((_) => !needed(_)).map(wordsOf),
    ...scenario.otherwise
      .filter((_) => !found.some((anomaly) => isOf(_.pair, anomaly.pair)))
      .map((_) => `no exception is needed for ${_.pair.join(" and ")}`)
  ]
})

describe.concurrent("two processes at once do to the store what they would do one after the other", () => {
  for (const scenario of scenarios) {
    it.live(scenario.title, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const wrong = yield* judged(yield* lane, scenario)
          if (wrong.length > 0) assert.fail(`${wrong.length} ways:\n${wrong.join("\n")}`)
        })
      )
    )
  }
})
