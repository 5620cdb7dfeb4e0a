import { assert, it } from "@effect/vitest"
import { doAll } from "@portico/domain/onboarding/graph"
import { type Attempt, step } from "@portico/domain/onboarding/Step"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"

const attempt: Attempt = {
  id: "1",
  slug: "acme",
  name: "Acme GmbH",
  tier: "standard",
  stamp: "portico-attempt:1",
  projectId: undefined,
  owner: undefined
}

/** A step whose call is answered with the status, or not at all. */
const failing = (name: string, status: number | null) =>
  step({
    name,
    needs: [],
    do: () => Effect.andThen(Effect.yieldNow, new UpstreamError({ upstream: "rooms", call: name, status, detail: "" })),
    undo: () => Effect.void
  })

it.effect.each([
  [[403, 409], false],
  [[403, null], true],
  [[null, 403], true],
  [[403, 504], true],
  [[500, 403], false],
  [[null, null], true]
] as const)("of steps that fail with %o, some may still take effect: %s", ([[first, second], unsettled]) =>
  Effect.gen(function* () {
    const stopped = yield* Effect.flip(doAll(attempt, [failing("first", first), failing("second", second)]))
    assert.deepInclude(stopped, { step: "first", unsettled })
  })
)
