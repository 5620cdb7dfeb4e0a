import { assert, describe, it } from "@effect/vitest"
import { tierOf } from "@portico/contract/Access"
import { serviceQuotas, Tier, type TierQuotas, tiers, zeroQuotas } from "@portico/contract/Tiers"

/** The catalogue of the contract, in its order and units; memory and storage in GiB. */
const catalogue: ReadonlyArray<
  readonly [what: string, read: (_: TierQuotas) => number, ...numbers: [number, number, number]]
> = [
  ["cores", (_) => _.cores, 8, 32, 128],
  ["GiB RAM", (_) => _.ram_mib / 1024, 16, 64, 256],
  ["instances", (_) => _.instances, 5, 20, 60],
  ["volumes", (_) => _.volumes, 8, 32, 100],
  ["GiB block storage", (_) => _.gigabytes, 80, 300, 1200],
  ["networks", (_) => _.networks, 3, 12, 24],
  ["routers", (_) => _.routers, 2, 4, 8],
  ["floating IPs", (_) => _.floating_ips, 2, 8, 16],
  ["buckets", (_) => _.buckets, 5, 25, 100],
  ["GiB object storage", (_) => _.object_gigabytes, 20, 100, 300],
  ["Kubernetes clusters", (_) => _.clusters, 1, 3, 8],
  ["Kubernetes workers", (_) => _.workers, 3, 10, 30],
  ["edge exposures", (_) => _.edge_exposures, 1, 4, 10],
  ["load balancers", (_) => _.load_balancers, 0, 2, 5],
  ["GiB storage footprint", (_) => _.storage_footprint, 100, 400, 1500],
  // Named by the contract without numbers; ours, see docs/developers/decisions.md.
  ["NAT gateways", (_) => _.nat_gateways, 1, 1, 1],
  ["requests a minute", (_) => _.api_rpm, 300, 1200, 6000],
  ["credentials", (_) => _.credentials, 20, 100, 500],
  ["DNS zones", (_) => _.dns_zones, 5, 20, 100]
]

describe("the quota tier catalogue", () => {
  it("has three tiers, smallest first", () => {
    assert.deepStrictEqual(Tier.literals, ["discovery", "standard", "extension"])
    assert.deepStrictEqual(Object.keys(tiers), [...Tier.literals])
  })

  for (const [what, read, ...numbers] of catalogue) {
    it(`${what}: ${numbers.join(", ")}`, () => {
      assert.deepStrictEqual(
        Tier.literals.map((_) => read(tiers[_])),
        numbers
      )
    })
  }

  it("no number is left out of this table", () => {
    for (const tier of Tier.literals) assert.strictEqual(Object.keys(tiers[tier]).length, catalogue.length)
  })
})

describe("a tier in each service's own terms", () => {
  const gib = 1024 ** 3
  const words = {
    discovery: {
      nova: { cores: 8, ram: 16_384, instances: 5 },
      cinder: { volumes: 8, gigabytes: 80, backups: 16, backup_gigabytes: 80 },
      neutron: { network: 3, router: 2, floatingip: 2 },
      octavia: { loadbalancer: 0 },
      rgw: { max_buckets: 5, max_size: 20 * gib, max_objects: -1 }
    },
    standard: {
      nova: { cores: 32, ram: 65_536, instances: 20 },
      cinder: { volumes: 32, gigabytes: 300, backups: 64, backup_gigabytes: 300 },
      neutron: { network: 12, router: 4, floatingip: 8 },
      octavia: { loadbalancer: 2 },
      rgw: { max_buckets: 25, max_size: 100 * gib, max_objects: -1 }
    },
    extension: {
      nova: { cores: 128, ram: 262_144, instances: 60 },
      cinder: { volumes: 100, gigabytes: 1200, backups: 200, backup_gigabytes: 1200 },
      neutron: { network: 24, router: 8, floatingip: 16 },
      octavia: { loadbalancer: 5 },
      rgw: { max_buckets: 100, max_size: 300 * gib, max_objects: -1 }
    }
  }
  for (const tier of Tier.literals) {
    it(tier, () => assert.deepStrictEqual(serviceQuotas(tier), words[tier]))
  }

  it("zero quotas use each service's own value for none", () => {
    assert.deepStrictEqual(zeroQuotas, {
      nova: { cores: 0, ram: 0, instances: 0 },
      cinder: { volumes: 0, gigabytes: 0, backups: 0, backup_gigabytes: 0 },
      neutron: { network: 0, router: 0, floatingip: 0 },
      octavia: { loadbalancer: 0 },
      rgw: { max_buckets: -1, max_size: 0, max_objects: 0 }
    })
  })
})

describe("permission tiers", () => {
  const methods = { GET: 0, HEAD: 0, OPTIONS: 0, POST: 1, PUT: 1, PATCH: 1, DELETE: 2 }
  for (const [method, tier] of Object.entries(methods)) {
    it(`${method} is ${tier}`, () => assert.strictEqual(tierOf(method), tier))
  }
  it("an unknown method counts as a write", () => assert.strictEqual(tierOf("PROPFIND"), 1))
})
