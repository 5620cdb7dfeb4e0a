import { serviceQuotas, type Tier } from "@portico/contract/Tiers"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Administrator } from "./Administrator.ts"
import { Guests, realGuests } from "./Guests.ts"
import { assertQuotas } from "./quotas.ts"

const asked: ReadonlyArray<readonly [name: "acme" | "globex", tier: Tier]> = [
  ["acme", "discovery"],
  ["globex", "standard"]
]

layer(realGuests, { excludeTestServices: true })("two tenants on the real systems", (it) => {
  for (const [name, tier] of asked) {
    it.effect(`${tier}: every service holds the quotas of the tier`, () =>
      Effect.gen(function* () {
        const { [name]: guest } = yield* Guests
        yield* assertQuotas(guest.projectId, serviceQuotas(tier))
      })
    )

    it.effect(`${tier}: the tenant reads its quotas and its usage`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { [name]: guest } = yield* Guests
        const wanted = serviceQuotas(tier)
        const answer = yield* call("customer", "GET", "/v1/quotas", { token: guest.tokens[0] })
        assert.strictEqual(answer.status, 200, answer.text)
        const quotas = jsonOf(answer)
        const { max_buckets, max_size } = wanted.rgw
        assert.deepInclude(quotas, { project_id: guest.projectId, tier, suspended: false })
        assert.deepStrictEqual(quotas.compute.cores, { limit: wanted.nova.cores, used: 0, source: "nova" })
        assert.deepStrictEqual(quotas.block_storage.gigabytes, {
          limit: wanted.cinder.gigabytes,
          used: 0,
          source: "cinder"
        })
        assert.deepStrictEqual(quotas.network.networks, { limit: wanted.neutron.network, used: 1, source: "neutron" })
        assert.deepStrictEqual(quotas.network.routers, { limit: wanted.neutron.router, used: 1, source: "neutron" })
        assert.deepStrictEqual(quotas.load_balancers, {
          limit: wanted.octavia.loadbalancer,
          used: 0,
          source: "octavia"
        })
        assert.deepStrictEqual(quotas.nat_gateways, { limit: 1, used: 1, source: "neutron" })
        assert.deepInclude(quotas.dns_zones, { used: 0, source: "designate" })
        const none = { used: 0, source: "rgw", matches_tier: true }
        assert.deepStrictEqual(quotas.object_storage, {
          buckets: { limit: max_buckets, enforced: max_buckets, ...none },
          bytes: { limit: max_size, enforced: max_size, ...none }
        })
      })
    )

    it.effect(`${tier}: the project has its tag, and its user a member's roles in it alone`, () =>
      Effect.gen(function* () {
        const { read } = yield* Administrator
        const { [name]: guest } = yield* Guests
        const { project } = yield* read("identity", `/projects/${guest.projectId}`)
        assert.deepStrictEqual([project.name, project.enabled], [guest.name, true])
        assert.include(project.tags, `tier:${tier}`)

        const { users } = yield* read("identity", `/users?name=gw-${guest.projectId}`)
        const held = `/role_assignments?user.id=${users[0].id}&effective&include_names`
        const { role_assignments } = yield* read("identity", held)
        const roles = role_assignments.map((_: Assignment) => `${_.role.name} of ${_.scope.project.name}`)
        assert.sameMembers(
          roles,
          ["member", "reader", "load-balancer_member", "creator"].map((_) => `${_} of ${guest.name}`)
        )
      })
    )
  }

  it.effect("a tenant's network has egress through its own router, with SNAT", () =>
    Effect.gen(function* () {
      const { read } = yield* Administrator
      const { acme } = yield* Guests
      const { networks: externals } = yield* read("network", "/networks?router:external=true&is_default=true")
      const { network } = yield* read("network", `/networks/${acme.networkId}`)
      const { router } = yield* read("network", `/routers/${acme.routerId}`)
      assert.deepStrictEqual([network.project_id, router.project_id], [acme.projectId, acme.projectId])
      assert.strictEqual(network.status, "ACTIVE")

      const { enable_snat, external_fixed_ips, network_id } = router.external_gateway_info
      assert.strictEqual(externals.length, 1)
      assert.deepStrictEqual([network_id, enable_snat], [externals[0].id, true])
      assert.strictEqual(external_fixed_ips.length, 1)

      const [subnetId] = network.subnets
      const { subnet } = yield* read("network", `/subnets/${subnetId}`)
      const { ports } = yield* read("network", `/ports?device_id=${acme.routerId}&network_id=${acme.networkId}`)
      assert.deepStrictEqual(
        ports.map((_: { readonly fixed_ips: unknown }) => _.fixed_ips),
        [[{ subnet_id: subnetId, ip_address: subnet.gateway_ip }]]
      )
    })
  )

  it.effect("operators list both, each with its tier", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme, globex } = yield* Guests
      const { tenants } = jsonOf(yield* call("operator", "GET", "/v1/tenants", { token: operator }))
      const rows = tenants.map((_: { readonly project_id: string; readonly tier: Tier }) => [_.project_id, _.tier])
      assert.sameDeepMembers(rows, [
        [acme.projectId, "discovery"],
        [globex.projectId, "standard"]
      ])
    })
  )

  it.effect("a revoked key is refused at once as revoked, and the others stay valid", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { globex } = yield* Guests
      const [read, operate, destroy] = globex.tokens
      const servers = (token: string) => call("customer", "GET", "/v1/iaas/compute/servers", { token })
      assert.strictEqual((yield* servers(operate)).status, 200)
      const one = `/v1/credentials/${globex.credentialIds[1]}`
      const revoked = yield* call("customer", "DELETE", one, { token: destroy })
      assert.strictEqual(revoked.status, 200, revoked.text)
      const refused = yield* servers(operate)
      assert.deepStrictEqual([refused.status, jsonOf(refused).detail], [401, "Credential has been revoked"])
      assert.strictEqual((yield* servers(read)).status, 200)
    })
  )
})

interface Assignment {
  readonly role: { readonly name: string }
  readonly scope: { readonly project: { readonly name: string } }
}
