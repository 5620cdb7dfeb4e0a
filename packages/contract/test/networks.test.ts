import { assert, describe, it } from "@effect/vitest"
import { addressOf, contains, networkOf, Networks } from "@portico/contract/Networks"
import { Option, Schema } from "effect"
import { NetAddress } from "effect/net"
import { SocketAddress } from "node:net"

const accepts = (networks: unknown): boolean => Option.isSome(Schema.decodeUnknownOption(Networks)(networks))

describe("a network", () => {
  it.each([
    "10.0.0.0/8",
    "192.0.2.0/24",
    "192.0.2.7/32",
    "128.0.0.0/1",
    "2001:db8::/32",
    "2001:db8::1/128",
    "::1/128",
    "fd00::/8",
    "8000::/1",
    "1:0:0:2::/64"
  ])("%s is one", (text) => {
    assert.isDefined(networkOf(text))
    assert.isTrue(accepts([text]))
  })

  it.each([
    ["a bit behind its length", "10.0.0.1/8"],
    ["a bit behind its length", "2001:db8::1/32"],
    ["no length", "10.0.0.0"],
    ["a length beyond the address", "10.0.0.0/33"],
    ["a length beyond the address", "2001:db8::/129"],
    ["a length with a zero in front", "10.0.0.0/08"],
    ["a negative length", "10.0.0.0/-8"],
    ["two lengths", "10.0.0.0/8/8"],
    ["a mask", "10.0.0.0/255.0.0.0"],
    ["an octet in octal", "010.0.0.0/8"],
    ["an octet above 255", "256.0.0.0/8"],
    ["three octets", "10.0.0/24"],
    ["a number", "167772160/8"],
    ["upper case", "2001:DB8::/32"],
    ["groups that could be shorter", "2001:0db8::/32"],
    ["zeros that could be shorter", "2001:db8:0:0::/64"],
    ["an IPv4 network in IPv6", "::ffff:10.0.0.0/104"],
    ["a zone", "fe80::1%eth0/128"],
    ["a name", "localhost/8"],
    ["space", " 10.0.0.0/8"],
    ["space", "10.0.0.0/8\n"],
    ["nothing", ""]
  ])("is refused for %s: %s", (_, text) => {
    assert.isUndefined(networkOf(text))
    assert.isFalse(accepts([text]))
  })

  it("the whole internet, an empty list, a duplicate or too many are refused in a list", () => {
    for (const list of [
      ["0.0.0.0/0"],
      ["::/0"],
      ["10.0.0.0/8", "::/0"],
      [],
      ["10.0.0.0/8", "10.0.0.0/8"],
      null,
      "10.0.0.0/8"
    ]) {
      assert.isFalse(accepts(list), JSON.stringify(list))
    }
    const many = (count: number) => Array.from({ length: count }, (_, index) => `10.0.${index}.0/24`)
    assert.isTrue(accepts(many(50)))
    assert.isFalse(accepts(many(51)))
  })
})

describe("an address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:201", "192.0.2.1"],
    ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["::", "::"],
    ["1::", "1::"],
    ["0:0:1::", "0:0:1::"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"]
  ])("%s is %s", (text, shortest) => {
    const address = addressOf(text)
    assert.strictEqual(address === undefined ? undefined : NetAddress.formatIp(address), shortest)
  })

  it.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "1::2::3",
    ":1",
    "1:2",
    "12345::",
    "::g",
    "1.2.3.4::",
    "fe80::1%eth0"
  ])("'%s' is refused", (text) => assert.isUndefined(addressOf(text)))

  it("has the spelling that other implementations give it", () => {
    let seed = 1
    const next = () => (seed = (seed * 48271) % 0x7fffffff)
    for (let round = 0; round < 5000; round++) {
      const groups = Array.from({ length: 8 }, () => (next() % 2 === 0 ? 0 : next() % 65_536))
      // Those have a second spelling, with an IPv4 address at the end.
      if (groups.slice(0, 5).every((_) => _ === 0)) continue
      const text = groups.map((_) => _.toString(16)).join(":")
      const address = addressOf(text)
      assert.isDefined(address)
      assert.strictEqual(NetAddress.formatIp(address), new SocketAddress({ address: text, family: "ipv6" }).address)
    }
  })
})

describe("networks", () => {
  const inside = (list: ReadonlyArray<string>, text: string): boolean => {
    const networks = list.flatMap((_) => networkOf(_) ?? [])
    const other = addressOf(text) ?? networkOf(text)
    assert.isDefined(other)
    return contains(networks, other)
  }

  it.each([
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["10.0.0.0/8", "::ffff:10.1.2.3", true],
    ["10.0.0.0/8", "::a00:1", false],
    ["192.0.2.7/32", "192.0.2.7", true],
    ["192.0.2.7/32", "192.0.2.6", false],
    ["128.0.0.0/1", "127.255.255.255", false],
    ["128.0.0.0/1", "255.0.0.0", true],
    ["2001:db8::/32", "2001:db8:ffff::1", true],
    ["2001:db8::/32", "2001:db9::", false],
    ["8000::/1", "192.0.2.1", false],
    ["10.0.0.0/8", "10.1.0.0/16", true],
    ["10.0.0.0/8", "10.0.0.0/8", true],
    ["10.1.0.0/16", "10.0.0.0/8", false],
    ["10.0.0.0/8", "11.0.0.0/16", false],
    ["2001:db8::/32", "2001:db8:1::/48", true]
  ])("%s and %s: %s", (network, other, expected) => {
    assert.strictEqual(inside([network], other), expected)
    assert.strictEqual(inside(["203.0.113.0/24", network], other), expected)
    assert.isFalse(inside([], other))
  })
})
