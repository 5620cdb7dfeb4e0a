import { assert, it } from "@effect/vitest"
import { scripted } from "@portico/testing/histories/order"
import type { Plan } from "@portico/testing/histories/plan"
import { isRight, makeScenes, play, report } from "@portico/testing/histories/play"
import { Effect } from "effect"

const scenes = await makeScenes()

it.live("a credential whose maker is replaced as its own rotation begins does not end with it", () =>
  Effect.gen(function* () {
    const plan: Plan = {
      seed: 0,
      scene: "live",
      operations: [
        { ask: "rotate", target: "c2", overlap: 86_400, process: 0 },
        { ask: "rotate", target: "c1", overlap: 86_400, process: 0 },
        { ask: "revoke", target: "c1", process: 0 }
      ]
    }
    const played = yield* play(scenes, plan, scripted([{ actor: 0, before: "Rotations.begin" }, { actor: 1 }]))
    assert.isTrue(isRight(played), report(played))
    assert.deepStrictEqual(
      played.seen.flatMap((_) => ("answered" in _ ? [_.answer] : [])),
      ["ok", "ok", "ok"]
    )
  })
)

it.live("a credential whose maker was just revoked cannot be rotated to a surviving one", () =>
  Effect.gen(function* () {
    const plan: Plan = {
      seed: 0,
      scene: "live",
      operations: [
        { ask: "rotate", target: "c2", overlap: 86_400, process: 0 },
        { ask: "revoke", target: "c1", process: 1 }
      ]
    }
    const order = scripted([
      { actor: 0, before: "Rotations.begin" },
      // Whoever is below is marked, and listed.
      { actor: 1, before: "Credentials.madeBelow" },
      { actor: 1, before: "POST" },
      { actor: 0 }
    ])
    const played = yield* play(scenes, plan, order)
    assert.isTrue(isRight(played), report(played))
    assert.deepStrictEqual(
      played.seen.filter((_) => "answered" in _),
      [
        { answered: 0, answer: "credential_not_active" },
        { answered: 1, answer: "ok" }
      ]
    )
  })
)
