import { assert, describe, it } from "vitest"
import { isInside, networksOf } from "../../src/credentials/networks.ts"

describe("the networks of a credential", () => {
  it("are read from lines and words", () => {
    assert.deepStrictEqual(networksOf(" 10.0.0.0/8\n\n2001:db8::/32, 192.0.2.1/32 "), [
      "10.0.0.0/8",
      "2001:db8::/32",
      "192.0.2.1/32"
    ])
  })

  it.each([
    ["203.0.113.7", "203.0.113.0/24", true],
    ["203.0.114.7", "203.0.113.0/24", false],
    ["203.0.113.128", "203.0.113.0/25", false],
    ["203.0.113.127", "203.0.113.0/25", true],
    ["192.0.2.1", "192.0.2.1/32", true],
    ["::ffff:192.0.2.1", "192.0.2.0/24", true],
    ["2001:db8:0:1::5", "2001:db8::/32", true],
    ["2001:db9::5", "2001:db8::/32", false],
    ["::1", "::1/128", true],
    ["::1", "127.0.0.0/8", false],
    ["192.0.2.1", "192.0.2.1", false],
    ["192.0.2.1", "office", false]
  ])("%s in %s: %s", (address, network, inside) => {
    assert.strictEqual(isInside(address, network), inside)
  })
})
