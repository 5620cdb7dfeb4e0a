import { assert, layer } from "@effect/vitest"
import { inTime } from "@portico/testing/clock"
import { Effect } from "effect"
import { Neighbours, simulatedNeighbourhood } from "./Belongings.ts"
import { kinds } from "./kinds.ts"
import { strange } from "./stranger.ts"

/** The table is the real suite's (`real/isolation.real.ts`), so that the simulated cloud is no kinder than a stock one. */
layer(simulatedNeighbourhood)("another tenant's resources", (it) => {
  for (const [service, ofService] of Object.entries(kinds)) {
    for (const [kind, of] of Object.entries(ofService)) {
      it.effect(`${service}, ${kind}: not listed, read, changed or deleted, and unchanged`, () =>
        Effect.gen(function* () {
          const { acme, globex } = yield* Neighbours
          assert.deepStrictEqual(yield* inTime(strange(of(acme, globex), acme, globex)), [])
        })
      )
    }
  }
})
