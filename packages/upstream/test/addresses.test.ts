import { assert, describe, it } from "@effect/vitest"
import { Guard } from "@portico/upstream/delivery/Guard"
import { TenantNameLookup, RefusedAddress } from "@portico/upstream/guardedLookup"
import { isRefused } from "@portico/upstream/oidc/KeyEndpoints"
import { exactRangesIn, rangesIn } from "@portico/upstream/addresses"
import { type Config, ConfigProvider, Effect, Layer, Result } from "effect"
import { BlockList, isIP } from "node:net"

/** Every name is the address that it spells. */
const Spelled = Layer.succeed(TenantNameLookup, (hostname, _, found) =>
  found(null, [{ address: hostname, family: isIP(hostname) }])
)

/** Whether a connection is refused that a tenant's events would go through. */
const refusalsWith = (settings: Readonly<Record<string, string>>) =>
  Guard.pipe(
    Effect.map(({ lookup }) => (address: string) => {
      let isRefused = false
      lookup(address, {}, (error) => (isRefused = error instanceof RefusedAddress))
      return isRefused
    }),
    Effect.provide(Guard.layer),
    Effect.provide(Spelled),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
  )

/** Of each range its first and its last address, and whether keys of a cluster may come from there; events go to none. */
const special: Readonly<Record<string, readonly [first: string, last: string, keys: boolean]>> = {
  "this network": ["0.0.0.0", "0.255.255.255", false],
  loopback: ["127.0.0.0", "127.255.255.255", false],
  "link-local": ["169.254.0.0", "169.254.255.255", false],
  "metadata of clouds": ["169.254.169.254", "169.254.169.254", false],
  multicast: ["224.0.0.0", "239.255.255.255", false],
  "reserved and broadcast": ["240.0.0.0", "255.255.255.255", false],
  "private 10": ["10.0.0.0", "10.255.255.255", true],
  "private 172": ["172.16.0.0", "172.31.255.255", true],
  "private 192": ["192.168.0.0", "192.168.255.255", true],
  "behind a carrier's translation": ["100.64.0.0", "100.127.255.255", true],
  "protocol assignments": ["192.0.0.0", "192.0.0.255", true],
  "documentation 1": ["192.0.2.0", "192.0.2.255", true],
  "documentation 2": ["198.51.100.0", "198.51.100.255", true],
  "documentation 3": ["203.0.113.0", "203.0.113.255", true],
  "relays of 6to4": ["192.88.99.0", "192.88.99.255", true],
  benchmarks: ["198.18.0.0", "198.19.255.255", true],
  "unspecified and loopback of IPv6": ["::", "::1", false],
  "compatible with IPv4": ["::2", "::ffff:ffff", false],
  "mapped loopback": ["::ffff:127.0.0.0", "::ffff:7fff:ffff", false],
  "mapped private": ["::ffff:10.0.0.0", "::ffff:aff:ffff", true],
  "translated by NAT64": ["64:ff9b::", "64:ff9b::ffff:ffff", false],
  "translated by a local NAT64": ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", false],
  "translated without state": ["::ffff:0:0:0", "::ffff:0:ffff:ffff", true],
  "6to4": ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false],
  Teredo: ["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", false],
  "protocol assignments of IPv6": ["2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", true],
  "documentation of IPv6": ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", true],
  "more documentation of IPv6": ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", true],
  discarded: ["100::", "100::ffff:ffff:ffff:ffff", true],
  dummy: ["100:0:0:1::", "100::1:ffff:ffff:ffff:ffff", true],
  "segment routing": ["5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true],
  "unique local": ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true],
  "link-local of IPv6": ["fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false],
  "site-local": ["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true],
  "multicast of IPv6": ["ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false]
}

/** The neighbours of the ranges: addresses of the public internet. */
const neighbours = (
  "1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0 " +
  "172.15.255.255 172.32.0.0 192.0.1.0 192.0.1.255 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 " +
  "198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 0:0:0:0:1:: " +
  "0:0:0:0:fffe:ffff:ffff:ffff 64:ff9a:ffff:: 64:ff9b:0:0:0:1:: 64:ff9b:2:: 2001:200:: 2001:db7:: 2001:db9:: 2003:: 3ffe:: " +
  "3fff:1000:: 100:0:0:2:: 5eff:: 5f01:: fbff:: fe00:: fe7f::"
).split(" ")

describe("special addresses", () => {
  for (const [name, [first, last, keys]] of Object.entries(special)) {
    it.effect(
      `${name}: events to ${first} to ${last} are refused, and keys there are ${keys ? "allowed" : "refused"}`,
      () =>
        Effect.gen(function* () {
          const refuses = yield* refusalsWith({})
          for (const address of [first, last]) {
            assert.isTrue(refuses(address), address)
            assert.strictEqual(isRefused(address), !keys, address)
          }
        })
    )
  }

  it.effect("end where the public internet begins", () =>
    Effect.gen(function* () {
      const refuses = yield* refusalsWith({})
      for (const address of neighbours) {
        assert.isFalse(refuses(address), address)
        assert.isFalse(isRefused(address), address)
      }
    })
  )

  it("are refused where an address cannot be read", () => {
    for (const text of ["", "localhost", "127.1", "010.0.0.1", "fe80::1%lo", "8.8.8.8%lo", "::1::", "[::1]"]) {
      assert.isTrue(isRefused(text), text)
    }
  })
})

/** Node's own reader and comparison of addresses, over the ranges as they are registered. */
const blockList = (ranges: string) => {
  const list = new BlockList()
  for (const range of ranges.split(" ")) {
    const [address = "", bits] = range.split("/")
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4")
  }
  return (address: string) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")
}

const never =
  "0.0.0.0/8 127.0.0.0/8 169.254.0.0/16 224.0.0.0/3 ::/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16 2001::/32 fe80::/10 ff00::/8"
const notPublic =
  "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 " +
  "192.88.99.0/24 198.18.0.0/15 ::ffff:0:0:0/96 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 3fff::/20 5f00::/16 " +
  "fc00::/7 fec0::/10"

/** Repeatable chance (Lehmer). */
const numbers = () => {
  let seed = 1
  return (below: number): number => (seed = (seed * 48_271) % 0x7fffffff) % below
}

/** Addresses near the ends of the ranges and anywhere, in the spellings that there are. */
const addresses = (count: number): ReadonlyArray<string> => {
  const next = numbers()
  const ranges = `${never} ${notPublic}`.split(" ").map((_) => _.split("/")[0] ?? "")
  const group = () => [0, 1, 0xffff, 0xff9b, next(0x10000)][next(5)] ?? 0
  return Array.from({ length: count }, () => {
    const near = ranges[next(ranges.length)] ?? ""
    const octets = near.includes(".") ? near.split(".").map(Number) : [0, 0, 0, 0]
    const four = octets.map((octet) => (next(3) === 0 ? next(256) : (octet + next(3) + 255) % 256)).join(".")
    switch (next(5)) {
      case 0:
      case 1:
        return four
      case 2:
        return `::ffff:${four}`
      case 3:
        return near.includes(":") ? `${near.replace(/0$/, "")}${group().toString(16)}` : `::${four}`
      default:
        return Array.from({ length: 8 }, () =>
          group()
            .toString(16)
            .padStart(1 + next(4), "0")
        ).join(":")
    }
  })
}

describe("a sample of addresses", () => {
  it.effect("is judged like an independent parser of addresses does", () =>
    Effect.gen(function* () {
      const isNever = blockList(never)
      const isNotPublic = blockList(`${never} ${notPublic}`)
      const isAllowed = blockList("10.255.0.0/15 fc00::/8 192.168.0.1/32 ::ffff:127.0.0.0/104")
      const isPublicButOurs = blockList("128.0.0.0/1 9000::/4 ::ffff:11.0.0.0/104")
      const refuses = yield* refusalsWith({})
      const withSettings = yield* refusalsWith({
        WEBHOOK_ALLOW_ADDRESSES: "10.255.0.0/15, fc00::/8, 192.168.0.1, ::ffff:127.0.0.0/104",
        WEBHOOK_REFUSE_ADDRESSES: "128.0.0.0/1, 9000::/4,::ffff:11.0.0.0/104"
      })
      const seen = { never: 0, notPublic: 0, public: 0 }
      for (const address of addresses(20_000)) {
        assert.notStrictEqual(isIP(address), 0, address)
        assert.strictEqual(isRefused(address), isNever(address), address)
        assert.strictEqual(refuses(address), isNotPublic(address), address)
        assert.strictEqual(
          withSettings(address),
          !isAllowed(address) && (isNotPublic(address) || isPublicButOurs(address)),
          address
        )
        seen[isNever(address) ? "never" : isNotPublic(address) ? "notPublic" : "public"] += 1
      }
      assert.isTrue(
        Object.values(seen).every((_) => _ > 1000),
        JSON.stringify(seen)
      )
    })
  )
})

describe("networks in settings", () => {
  const read = (config: Config.Config<unknown>, value: string) =>
    Effect.result(config.parse(ConfigProvider.fromUnknown({ NETWORKS: value })))

  for (const value of ["10.1.2.3/8", "10.0.0.1", "2001:db8::1/32", "10.0.0.0/08", "10.0.0.0/33", "a name"]) {
    it.effect(`'${value}' is refused as an exact network`, () =>
      Effect.map(read(exactRangesIn("NETWORKS"), value), (_) => assert.isTrue(Result.isFailure(_)))
    )
  }

  for (const value of ["10.0.0.0/8", "10.0.0.1/32, 2001:db8::/32"]) {
    it.effect(`'${value}' is accepted as an exact network`, () =>
      Effect.map(read(exactRangesIn("NETWORKS"), value), (_) => assert.isTrue(Result.isSuccess(_)))
    )
  }

  for (const value of ["10.1.2.3/8", "10.0.0.1"]) {
    it.effect(`'${value}' is accepted where the network need not be exact`, () =>
      Effect.map(read(rangesIn("NETWORKS"), value), (_) => assert.isTrue(Result.isSuccess(_)))
    )
  }
})
