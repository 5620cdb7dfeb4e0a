import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Clustered } from "../kubernetes/ClusterTap.ts"
import { answers } from "./answers.ts"
import { isHere, title } from "./RealCluster.ts"
import { OnRealCluster } from "./stage.ts"
import { steps } from "./steps.ts"

const live = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

describe.skipIf(!isHere)(title("the simulated cluster answers as a real one does"), async () => {
  const both = isHere
    ? await live(
        Effect.all(
          {
            real: Effect.provide(answers, OnRealCluster),
            simulated: Effect.provide(answers, Clustered)
          },
          { concurrency: "unbounded" }
        ).pipe(Effect.orDie)
      )
    : { real: {}, simulated: {} }
  for (const name of Object.keys(steps)) {
    it(name, () => assert.deepStrictEqual(both.simulated[name], both.real[name]))
  }
})
