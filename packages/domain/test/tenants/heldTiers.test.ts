import { assert, it } from "@effect/vitest"
import { heldTiers } from "@portico/domain/tenants/heldTiers"

it("a tenant holds its own tier, those of incomplete writes, and the one that it moves to", () => {
  const tier = "standard"
  for (const [pending_tier, reached_tiers, expected] of [
    [null, [], ["standard"]],
    ["extension", [], ["standard", "extension"]],
    [null, ["discovery"], ["standard", "discovery"]],
    ["extension", ["discovery"], ["standard", "discovery", "extension"]],
    // A tenant that is about to be suspended moves to none.
    ["suspended", ["discovery"], ["standard", "discovery"]]
  ] as const) {
    assert.deepStrictEqual(heldTiers({ tier, pending_tier, reached_tiers: [...reached_tiers] }), expected)
  }
})
