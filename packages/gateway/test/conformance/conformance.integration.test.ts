import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { differenceOf } from "../../../../scripts/difference.ts"
import { suites } from "../../../../scripts/conformance/suites.ts"

const named = (title: string, isHere: boolean): string =>
  isHere ? title : `${title}: NOT RUN, scripts/parts/conformance.sh HAS NOT INSTALLED IT`

/** The third takes longer than a minute beside other tests: `npm run conformance -- oci`. */
const gated = [...suites].filter(([name]) => name !== "oci")

for (const [, { isHere, reasons, run, shows }] of gated) {
  it.live.skipIf(!isHere)(
    named(shows, isHere),
    () =>
      Effect.gen(function* () {
        const outcome = yield* run
        assert.isNotEmpty(outcome.passed)
        assert.deepStrictEqual(differenceOf(outcome, reasons), { lost: [], gained: [] })
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    // A suite of others waits by its own clock, on whatever machine.
    { retry: 1 }
  )
}
