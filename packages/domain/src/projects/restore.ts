import { serviceQuotas, zeroQuotas } from "@portico/contract/Tiers"
import type { HoldReason } from "@portico/store/Credentials"
import { Holds } from "@portico/store/Holds"
import { type PurgeEntry, Purges } from "@portico/store/Purges"
import { type TenantEntry, Tenants } from "@portico/store/Tenants"
import { Belongings } from "@portico/upstream/belongings/Belongings"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { Records } from "../access/Records.ts"
import { tellingOfAll } from "../credentials/told.ts"
import { keepNatOff } from "../nat/keepOff.ts"
import { doAll } from "../onboarding/graph.ts"
import type { Attempt, StepFailure } from "../onboarding/Step.ts"
import { network, project, router, routerInterface, subnet, uplink } from "../onboarding/steps.ts"

/**
 * Makes a project live again: its network and object storage are made again
 * as far as a purge has removed them, then the mark is dropped, and the
 * credentials that nothing else holds work. Repeatable: the credentials are
 * named once, by the call that restored them.
 *
 * Errors: UpstreamError when the network cannot be brought back yet; nothing
 * is unmarked then.
 */
export const restoreProject = Effect.fn("projects.restore")(function* (projectId: string, reason: HoldReason) {
  yield* bringBack(projectId)
  const restored = yield* tellingOfAll([projectId], (yield* Holds).release(projectId, reason))
  yield* (yield* Records).forgetProject(projectId)
  return { restored_credentials: restored ?? [] }
})

/**
 * Brings back, by the onboarding's own steps, what a purge of the project has
 * begun to remove of what every tenant has. What no purge has touched is left
 * alone: it is the tenant's to change. Repeatable.
 */
export const bringBack = Effect.fn("projects.bringBack")(function* (projectId: string) {
  const tenant = yield* (yield* Tenants).find(projectId)
  const purge = yield* (yield* Purges).find(projectId)
  if (tenant === undefined || purge === undefined) return
  if (touched(purge, "network/")) {
    yield* bringBackNetwork(tenant)
    if (purge.nat_off === true) yield* keepNatOff(projectId)
  }
  if (touched(purge, "object-storage/")) yield* bringBackObjectStorage(tenant)
  if (touched(purge, "key-manager/")) yield* (yield* Belongings).leave(projectId)
})

const touched = ({ progress }: PurgeEntry, service: string): boolean =>
  progress.some((_) => _.step.startsWith(service) && (_.state === "running" || _.done > 0))

/** Router, subnet, uplink, SNAT, interface: each as it is, or made. */
const bringBackNetwork = Effect.fnUntraced(function* (tenant: TenantEntry) {
  const found = yield* (yield* Keystone).getProject(tenant.project_id)
  // The step would make a new one.
  if (found === undefined) return yield* failed("keystone", "the project is gone")
  const attempt: Attempt = { ...tenant, id: "", projectId: tenant.project_id, owner: undefined }
  const steps = [project, uplink, network, subnet, router, routerInterface]
  const names = new Set(steps.map((_) => _.name))
  yield* doAll(
    attempt,
    steps.map((_) => ({ ..._, needs: _.needs.filter((name) => names.has(name)), run: _.ensure }))
  ).pipe(Effect.mapError(({ failure }) => upstreamError(failure)))
})

/** A purge of the buckets takes the user with it. The tenant's keys are made with their next reading. */
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
  failure._tag === "UpstreamError" ? failure : failed(failure.upstream, failure.sentence)

const failed = (upstream: string, words: string): UpstreamError =>
  new UpstreamError({ upstream, call: "converge", status: 409, words })
