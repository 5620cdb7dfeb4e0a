import { assert, layer } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { afterAll, describe } from "vitest"
import { everywhere } from "../contract/cases.ts"
import { differences, exceptionOf } from "../contract/differences.ts"
import { Outcomes } from "../contract/Outcomes.ts"
import { isRecording, record, recorded } from "../contract/recorded.ts"
import { simulatedOutcomes } from "../contract/simulated.ts"
import { type Row, tableOf } from "../contract/table.ts"
import { Real } from "./systems.ts"

/** Of the ten services so many at once: more would only wait for each other. */
const clientsAtOnce = 4

const simulated = ManagedRuntime.make(simulatedOutcomes(everywhere))
/** By client and case: one that is tried again counts once. */
const rows = new Map<string, Row>()

const of = (client: string, name: string) => Effect.map(Outcomes, (_) => _.of(client, name))

afterAll(async () => {
  await simulated.dispose()
  const table = tableOf([...rows.values()])
  mkdirSync(".portico", { recursive: true })
  writeFileSync(".portico/contract.md", table)
  console.log(table)
})

layer(Outcomes.layerOf(everywhere, clientsAtOnce).pipe(Layer.provide(Real)), { excludeTestServices: true })(
  "the real systems answer as the simulated cloud does",
  (it) => {
    for (const [client, cases] of Object.entries(everywhere)) {
      describe(client, () => {
        for (const name of Object.keys(cases)) {
          it.effect(name, () =>
            Effect.gen(function* () {
              const real = yield* of(client, name)
              const simulation = yield* Effect.promise(() => simulated.runPromise(of(client, name)))
              const found = differences(simulation.outcome, real.outcome)
              rows.set(`${client}: ${name}`, { client, name, simulated: simulation, real, differences: found })
              assert.strictEqual(simulation.broken, undefined, simulation.broken)
              assert.strictEqual(real.broken, undefined, real.broken)
              assert.deepStrictEqual(
                found.filter((_) => exceptionOf(client, name, _) === undefined),
                []
              )
            })
          )
        }

        it.effect("the recorded outcomes are those of the real systems", () =>
          Effect.gen(function* () {
            const outcomes = yield* Outcomes
            const answered = (name: string) => outcomes.of(client, name).outcome
            if (isRecording(client)) record(client, cases, answered)
            const before = recorded(client)
            for (const name of Object.keys(cases)) {
              assert.deepStrictEqual(before.get(name), answered(name), `${name}: to be recorded again`)
            }
          })
        )
      })
    }
  }
)
