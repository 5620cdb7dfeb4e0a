import { assert, it } from "@effect/vitest"
import { planOf } from "@portico/testing/histories/plan"
import { isRight, makeScenes, play, report } from "@portico/testing/histories/play"
import { isEverything, seedOfRun } from "@portico/testing/sample/sampled"
import { Effect } from "effect"

const scenes = await makeScenes()

/** From where a run of everything counts; any other run begins where its own seed says. */
const first = seedOfRun ?? 1
const batches = isEverything ? 20 : 2
const batch = isEverything ? 40 : 10

for (let number = 0; number < batches; number++) {
  const from = first + number * batch
  it.live(`${batch} histories of tenants' concurrent operations are linearizable: seeds from ${from}`, () =>
    Effect.gen(function* () {
      for (let seed = from; seed < from + batch; seed++) {
        const played = yield* play(scenes, planOf(seed))
        assert.isTrue(isRight(played), report(played))
      }
    })
  )
}

it.live("a history is reproduced by its seed", () =>
  Effect.gen(function* () {
    for (let seed = first; seed < first + 3; seed++) {
      const [once, again] = [yield* play(scenes, planOf(seed)), yield* play(scenes, planOf(seed))]
      assert.deepStrictEqual(again.seen, once.seen)
      assert.strictEqual(again.turns.length, once.turns.length)
    }
  })
)
