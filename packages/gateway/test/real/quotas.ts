import type { ServiceQuotas } from "@portico/contract/Tiers"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Administrator } from "./Administrator.ts"
import { findQuota, findUser } from "./ObjectGateway.ts"

/** The services themselves hold these limits for a project. */
export const assertQuotas = Effect.fnUntraced(function* (projectId: string, wanted: ServiceQuotas) {
  const { read } = yield* Administrator
  const { quota_set: nova } = yield* read("compute", `/os-quota-sets/${projectId}`)
  assert.deepInclude(nova, wanted.nova)
  const { quota_set: cinder } = yield* read("volume", `/os-quota-sets/${projectId}`)
  assert.deepInclude(cinder, wanted.cinder)
  const { quota: neutron } = yield* read("network", `/quotas/${projectId}`)
  assert.deepInclude(neutron, wanted.neutron)
  // Releases differ in the spelling.
  const { quota: octavia } = yield* read("load-balancer", `/lbaas/quotas/${projectId}`)
  assert.strictEqual(octavia.loadbalancer ?? octavia.load_balancer, wanted.octavia.loadbalancer)
  const { max_buckets } = yield* findUser(projectId)
  const { enabled, max_objects, max_size } = yield* findQuota(projectId)
  assert.deepStrictEqual({ max_buckets, max_size, max_objects }, wanted.rgw)
  assert.isTrue(enabled)
})
