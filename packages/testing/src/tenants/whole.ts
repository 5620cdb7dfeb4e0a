import type { Onboarded } from "@portico/contract/Tenants"
import { serviceQuotas } from "@portico/contract/Tiers"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "../store/Memory.ts"
import { fixtures } from "@portico/simulator/Fixtures"
import { Effect } from "effect"
import assert from "node:assert"
import { clientCredentials } from "./tokens.ts"

const named = serviceQuotas("discovery")

/** Of a service's limits those that tiers name. */
const ofTiers = (limits: Readonly<Record<string, number>> | undefined, names: object) =>
  limits && Object.fromEntries(Object.entries(limits).filter(([name]) => name in names))

/** The quotas of a project that tiers name, as the services that enforce them hold them. */
export const quotasOf = Effect.fnUntraced(function* (projectId: string) {
  const { world } = yield* SimulatedCloud
  const user = world.rgw.users[`tenant$${projectId}`]
  return {
    nova: ofTiers(world.nova.quotas[projectId], named.nova),
    cinder: ofTiers(world.cinder.quotas[projectId], named.cinder),
    neutron: ofTiers(world.neutron.quotas[projectId]?.limits, named.neutron),
    octavia: ofTiers(world.octavia.quotas[projectId]?.limits, named.octavia),
    rgw: user && {
      max_buckets: user.max_buckets,
      max_size: user.user_quota.max_size,
      max_objects: user.user_quota.max_objects
    }
  }
})

/** The tenant of the answer is there with all that a tenant has, and its secret works. */
export const whole = Effect.fnUntraced(function* ({ credential, tenant }: Onboarded, because: string) {
  const { world } = yield* SimulatedCloud
  const { project_id: projectId, network, slug, tier } = tenant
  const own = (_: { readonly project_id: string }) => _.project_id === projectId

  const project = world.keystone.projects[projectId]
  assert.strictEqual(project?.name, slug, because)
  assert.deepStrictEqual(
    project?.tags.filter((_) => !_.startsWith("portico-attempt:")),
    [`tier:${tier}`],
    because
  )
  assert.deepStrictEqual(yield* quotasOf(projectId), serviceQuotas(tier), because)

  const user = Object.values(world.keystone.users).find((_) => _.name === `gw-${projectId}`)
  const roles = world.keystone.grants.filter((_) => _.projectId === projectId && _.userId === user?.id)
  const { creator, loadBalancerMember, member } = fixtures.roles
  assert.deepStrictEqual(
    roles.map((_) => _.roleId).toSorted(),
    [creator, loadBalancerMember, member].toSorted(),
    because
  )

  const { neutron } = world
  assert.deepStrictEqual(
    Object.values(neutron.networks)
      .filter(own)
      .map((_) => _.id),
    [network.network_id],
    because
  )
  assert.deepStrictEqual(
    Object.values(neutron.subnets)
      .filter(own)
      .map((_) => [_.id, _.network_id]),
    [[network.subnet_id, network.network_id]],
    because
  )
  assert.deepStrictEqual(
    Object.values(neutron.routers)
      .filter(own)
      .map((_) => [_.id, _.gateway?.network_id, _.gateway?.enable_snat]),
    [[network.router_id, fixtures.externalNetworkId, true]],
    because
  )
  assert.deepStrictEqual(
    Object.values(neutron.ports)
      .filter((_) => own(_) && _.device_owner === "network:router_interface")
      .map((_) => [_.device_id, _.network_id]),
    [[network.router_id, network.network_id]],
    because
  )

  const login = yield* clientCredentials(credential.client_id, credential.client_secret ?? "")
  assert.deepStrictEqual(login, { active: true, roles: ["customer"] }, because)

  const { credentials, tenants } = yield* Memory
  const tenantRow = tenants.get(projectId)
  assert.deepStrictEqual(tenantRow, { ...tenantRow, slug, tier, suspended: false, pending_tier: null }, because)
  const row = credentials.get(credential.id)
  const minted = { project_id: projectId, state: "active", tier: 2, client_id: credential.client_id }
  assert.deepStrictEqual(row, { ...row, ...minted }, because)
})
