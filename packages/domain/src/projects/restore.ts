import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import type { HoldReason } from "@portico/store/Credentials"
import { Holds } from "@portico/store/Holds"
import { type PurgeEntry, Purges } from "@portico/store/Purges"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { ProjectResources } from "@portico/upstream/projectResources/ProjectResources"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"
import { withProjectEvents } from "../credentials/events.ts"
import { keepNatOff } from "../nat/routers.ts"
import { doAll } from "../onboarding/graph.ts"
import type { Attempt, StepFailure } from "../onboarding/Step.ts"
import { network, project, router, routerInterface, subnet, uplink } from "../onboarding/steps.ts"

/**
 * Makes a project live again: recreates its network and object storage as far
 * as a purge has removed them, drops the mark, and reactivates the credentials
 * that no other reason holds. Repeatable: only the call that restored the
 * credentials names them.
 *
 * Errors: UpstreamError when the network cannot be restored yet; the mark stays
 * then.
 */
export const restoreProject = Effect.fn("projects.restore")(function* (projectId: string, reason: HoldReason) {
  yield* bringBack(projectId)
  const restored = yield* withProjectEvents([projectId], (yield* Holds).release(projectId, reason))
  yield* (yield* Records).forgetProject(projectId)
  return { restored_credentials: restored ?? [] }
})

/**
 * Recreates, with the onboarding's own steps, what a purge has begun to remove
 * of what every tenant has. What no purge has touched is left alone, because
 * the tenant may have changed it. Repeatable.
 */
export const bringBack = Effect.fn("projects.bringBack")(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  const purge = yield* (yield* Purges).find(projectId)
  if (tenant === undefined || purge === undefined) return
  if (touched(purge, "network/")) {
    yield* tenant.suspended ? withNetworkQuotas(tenant, bringBackNetwork(tenant)) : bringBackNetwork(tenant)
    if (purge.nat_off === true) yield* keepNatOff(projectId)
  }
  if (touched(purge, "object-storage/")) yield* bringBackObjectStorage(tenant)
  if (touched(purge, "key-manager/")) yield* (yield* ProjectResources).leave(projectId)
})

const touched = ({ progress }: PurgeEntry, service: string): boolean =>
  progress.some((_) => _.step.startsWith(service) && (_.state === "running" || _.done > 0))

/**
 * With the tier's quotas of the network in force, which are zero for a suspended tenant: with them Neutron creates
 * nothing, whoever asks. The tenant itself can create nothing meanwhile, because the project is held.
 */
const withNetworkQuotas = Effect.fnUntraced(function* <A, E, R>(
  { project_id: projectId, tier }: TenantEntry,
  effect: Effect.Effect<A, E, R>
) {
  const neutron = yield* Neutron
  yield* neutron.forceQuotas(projectId, serviceQuotas(tier).neutron)
  yield* neutron.resetOthers(projectId)
  yield* effect
  yield* neutron.closeOthers(projectId)
  yield* neutron.forceQuotas(projectId, zeroQuotas.neutron)
})

/** Router, subnet, uplink, SNAT, interface: each is reused if it exists, and otherwise created. */
const bringBackNetwork = Effect.fnUntraced(function* (tenant: TenantEntry) {
  const found = yield* (yield* Keystone).getProject(tenant.project_id)
  // The project step would create a new project.
  if (found === undefined) return yield* failed("keystone", "the project is gone")
  const attempt: Attempt = { ...tenant, id: "", projectId: tenant.project_id, owner: undefined }
  const steps = [project, uplink, network, subnet, router, routerInterface]
  const names = new Set<string>(steps.map((_) => _.name))
  yield* doAll(
    attempt,
    steps.map((_) => ({ ..._, needs: _.needs.filter((name) => names.has(name)), run: _.ensure }))
  ).pipe(Effect.mapError(({ failure }) => upstreamError(failure)))
})

/** A purge of the buckets removes the S3 user too. The tenant's keys are created when they are next read. */
const bringBackObjectStorage = Effect.fnUntraced(function* ({
  project_id: projectId,
  stamp,
  suspended,
  tier
}: TenantEntry) {
  const quotas = suspended ? zeroQuotas.rgw : serviceQuotas(tier).rgw
  yield* Effect.mapError((yield* Rgw).writeQuotas({ projectId, stamp, quotas }), upstreamError)
})

const upstreamError = (failure: StepFailure): UpstreamError =>
  failure._tag === "UpstreamError" ? failure : failed(failure.upstream, failure.summary)

const failed = (upstream: string, words: string): UpstreamError =>
  new UpstreamError({ upstream, call: "converge", status: 409, detail: words })
