import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast } from "../harness/Cast.ts"
import { numberAnew } from "../routes/nextOf.ts"
import { recordAll } from "./record.ts"
import { StillClock } from "./StillClock.ts"

layer(Cast.layer.pipe(Layer.provideMerge(StillClock.layer)), {
  excludeTestServices: true
})("the examples of the documents", (it) => {
  it.effect("equal the running planes' answers; look at the difference before updating the snapshot", () =>
    Effect.gen(function* () {
      numberAnew()
      const examples = yield* recordAll
      yield* Effect.promise(() =>
        expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot(
          "../../../contract/generated/examples.json"
        )
      )
    })
  )
})
