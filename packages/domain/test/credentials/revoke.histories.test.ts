import { assert, it } from "@effect/vitest"
import { scripted } from "@portico/testing/histories/order"
import type { Plan } from "@portico/testing/histories/plan"
import { isRight, makeScenes, play, report } from "@portico/testing/histories/play"
import { Effect } from "effect"

const scenes = await makeScenes()

it.live("a mint that ends with its maker has an inactive user, although created after the listing", () =>
  Effect.gen(function* () {
    const plan: Plan = {
      seed: 0,
      scene: "live",
      operations: [
        { ask: "mint", process: 0 },
        { ask: "revoke", target: "c0", process: 1 }
      ]
    }
    const order = scripted([
      { actor: 0, before: "POST /idp/management/v1/users/machine" },
      { actor: 1, before: "Credentials.madeBelow" },
      // Every user below was asked for, and the mint's is not there yet.
      { actor: 1, before: "after POST" },
      { actor: 0 },
      { actor: 1 }
    ])
    const played = yield* play(scenes, plan, order)
    assert.isTrue(isRight(played), report(played))
    assert.deepStrictEqual(
      played.seen.flatMap((_) => ("answered" in _ ? [_.answer] : [])),
      ["ok", "ok"]
    )
  })
)
