import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { vi } from "vitest"

// The requests number what they make (`signup-3`). Files that ran before in this worker have counted too: begin anew.
vi.resetModules()
const { Cast } = await import("../harness/Cast.ts")
const { recordAll } = await import("./record.ts")
const { StillClock } = await import("./StillClock.ts")

layer(Cast.layer.pipe(Layer.provideMerge(StillClock.layer)), {
  excludeTestServices: true
})("the examples of the documents", (it) => {
  it.effect("are what the running planes answer; look at the difference before updating the snapshot", () =>
    Effect.gen(function* () {
      const examples = yield* recordAll
      yield* Effect.promise(() =>
        expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot(
          "../../../contract/generated/examples.json"
        )
      )
    })
  )
})
