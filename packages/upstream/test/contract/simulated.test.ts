import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { everywhere, simulatedOnly } from "./cases.ts"
import { differences, exceptionOf } from "./differences.ts"
import { exceptions } from "./exceptions.ts"
import { Outcomes } from "./Outcomes.ts"
import { isRecording, record, recorded } from "./recorded.ts"
import { simulatedOutcomes } from "./simulated.ts"

const all = { ...everywhere, ...simulatedOnly }
const outcomeOf = (client: string, name: string) =>
  Effect.map(Outcomes, (_) => {
    const { broken, outcome } = _.of(client, name)
    assert.isUndefined(broken)
    return outcome
  })

layer(simulatedOutcomes(all))("the simulated cloud answers as the real systems did", (it) => {
  for (const [client, cases] of Object.entries(all)) {
    describe(client, () => {
      for (const name of Object.keys(cases)) {
        it.effect(name, () =>
          Effect.gen(function* () {
            const found = differences(yield* outcomeOf(client, name), recorded(client).get(name))
            assert.deepStrictEqual(
              found.filter((_) => exceptionOf(client, name, _) === undefined),
              []
            )
          })
        )
      }
    })
  }

  it.effect("every exception is still needed", () =>
    Effect.gen(function* () {
      const used = new Set<unknown>()
      for (const [client, cases] of Object.entries(everywhere)) {
        const real = recorded(client)
        for (const name of Object.keys(cases)) {
          for (const _ of differences(yield* outcomeOf(client, name), real.get(name))) {
            used.add(exceptionOf(client, name, _))
          }
        }
      }
      assert.deepStrictEqual(
        exceptions.filter((_) => !used.has(_)).map((_) => `${_.client}: ${_.why}`),
        []
      )
    })
  )

  it.effect("the outcomes of simulatedOnly cases are recorded on request", () =>
    Effect.gen(function* () {
      const outcomes = yield* Outcomes
      for (const [client, cases] of Object.entries(simulatedOnly)) {
        if (isRecording(client)) record(client, cases, (name) => outcomes.of(client, name).outcome)
      }
    })
  )
})
