import { assert, describe, it } from "@effect/vitest"
import { apiVersionOf, builtIns } from "@portico/simulator/kubernetes/kinds"
import { types } from "@portico/simulator/kubernetes/types"
import { Effect } from "effect"
import { operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Clustered } from "../kubernetes/ClusterTap.ts"
import { answers } from "./answers.ts"
import { isHere, title } from "./RealCluster.ts"
import { OnRealCluster } from "./stage.ts"
import { steps } from "./steps.ts"
import { condensed } from "./types.ts"

const live = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

/** The types of the built-in kinds, out of the documents of the real cluster. */
const realTypes = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const groups = [...new Set(builtIns.map((_) => (_.group === "" ? "api/v1" : `apis/${apiVersionOf(_)}`)))]
  const documents = yield* Effect.forEach(groups, (group) =>
    Effect.map(call("operator", "GET", `/v1/kubernetes/openapi/v3/${group}`, { token: operator }), jsonOf)
  )
  return condensed(documents)
})

describe.skipIf(!isHere)(title("the simulated cluster answers like a real one"), async () => {
  const both = isHere
    ? await live(
        Effect.all(
          {
            real: Effect.provide(Effect.all({ answers, types: realTypes }), OnRealCluster),
            simulated: Effect.provide(answers, Clustered)
          },
          { concurrency: "unbounded" }
        ).pipe(Effect.orDie)
      )
    : { real: { answers: {}, types: {} }, simulated: {} }
  for (const name of Object.keys(steps)) {
    it(name, () => assert.deepStrictEqual(both.simulated[name], both.real.answers[name]))
  }
  // What differs belongs into types.ts: it is what `condensed` makes.
  it("the types of the built-in kinds", () => assert.deepStrictEqual(types, both.real.types))
})
