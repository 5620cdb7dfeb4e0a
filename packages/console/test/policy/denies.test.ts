import { assert, describe, it } from "vitest"
import { denying, denyOf, isWithin, textOf } from "../../src/policy/denies.ts"

describe("the denies of policies", () => {
  it("is written as the API states it", () => {
    for (const text of ["compute", "compute:operate", "compute:destroy"]) assert.strictEqual(textOf(denyOf(text)), text)
    assert.strictEqual(textOf(denyOf("compute:read")), "compute")
  })

  it("reaches the levels above the denied one, of its area alone", () => {
    const denies = [{ deny: "compute:operate", from: "ci" }]
    assert.isUndefined(denying(denies, "compute", "read"))
    assert.strictEqual(denying(denies, "compute", "operate")?.from, "ci")
    assert.strictEqual(denying(denies, "compute", "destroy")?.from, "ci")
    assert.isUndefined(denying(denies, "dns", "destroy"))
  })

  it("holds in a unit and all below it", () => {
    assert.isTrue(isWithin("a.b", "a"))
    assert.isTrue(isWithin("a", ""))
    assert.isFalse(isWithin("ab", "a"))
    assert.isFalse(isWithin("a", "a.b"))
  })
})
