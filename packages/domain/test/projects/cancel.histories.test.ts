import { assert, it } from "@effect/vitest"
import { scripted } from "@portico/testing/histories/order"
import type { Plan } from "@portico/testing/histories/plan"
import { isRight, makeScenes, play, report } from "@portico/testing/histories/play"
import { Effect } from "effect"

const scenes = await makeScenes()

it.live("a deletion cancelled, and requested again before the answer, is not reported as running", () =>
  Effect.gen(function* () {
    const plan: Plan = {
      seed: 0,
      scene: "condemned",
      operations: [
        { ask: "cancel", process: 0 },
        { ask: "remove", process: 1 }
      ]
    }
    const order = scripted([
      // All is back, and the caller has not been answered.
      { actor: 0, before: "Transactions.atomically" },
      { actor: 0, before: "Purges.find" },
      { actor: 1 }
    ])
    const played = yield* play(scenes, plan, order)
    assert.isTrue(isRight(played), report(played))
    assert.deepStrictEqual(
      played.seen.filter((_) => "answered" in _),
      [
        { answered: 1, answer: "ok" },
        { answered: 0, answer: "concurrent_deletion_state" }
      ]
    )
  })
)
