import { assert, describe, test } from "vitest"
import { bodyOf, rangeOf } from "../../src/network/securityGroup.ts"

describe("a rule of a security group", () => {
  const rule = { direction: "ingress", protocol: "tcp", ports: "443", prefix: "", groupId: "" } as const

  test("has one port or a range; other text is sent for the service to refuse", () => {
    assert.deepStrictEqual(rangeOf("443"), [443, 443])
    assert.deepStrictEqual(rangeOf(" 8000 - 8100 "), [8000, 8100])
    assert.deepStrictEqual(rangeOf("http"), ["http", "http"])
    assert.isUndefined(rangeOf(""))
  })

  test("is of IPv6 when its prefix is, and names a group instead of a prefix", () => {
    assert.deepStrictEqual(bodyOf("group-1", { ...rule, prefix: "2001:db8::/32" }), {
      security_group_rule: {
        security_group_id: "group-1",
        direction: "ingress",
        ethertype: "IPv6",
        protocol: "tcp",
        port_range_min: 443,
        port_range_max: 443,
        remote_ip_prefix: "2001:db8::/32"
      }
    })
    const ofGroup = JSON.stringify(bodyOf("group-1", { ...rule, groupId: "group-2", protocol: "any" }))
    assert.include(ofGroup, '"remote_group_id":"group-2"')
    assert.notInclude(ofGroup, "port_range")
  })
})
