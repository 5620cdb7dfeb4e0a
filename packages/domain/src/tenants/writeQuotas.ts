import { BadGateway } from "@portico/contract/Failures"
import type { AppliedQuotas } from "@portico/contract/Tenants"
import { type ServiceQuotas, tiers } from "@portico/contract/Tiers"
import type { TenantEntry } from "@portico/store/Tenants"
import { Cinder } from "@portico/upstream/cinder/Cinder"
import { Designate } from "@portico/upstream/designate/Designate"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Nova } from "@portico/upstream/nova/Nova"
import { Octavia } from "@portico/upstream/octavia/Octavia"
import { Rgw } from "@portico/upstream/rgw/Rgw"
import { type Taken, UpstreamError } from "@portico/upstream/UpstreamError"
import { Duration, Effect } from "effect"
import { limitDatabases } from "../databases/database.ts"
import { otherQuotas } from "./otherQuotas.ts"

/** Shorter than the lease of a quota write, so that no two processes ever write a tenant's quotas at once. */
const timeLimit = Duration.seconds(150)

/**
 * Writes a tenant's quotas everywhere, in the contract's order (section
 * Tenants): compute, block storage, network and load balancers, object storage,
 * and the tags last. What the contract does not name is written after object
 * storage: the DNS zones, the namespace of the tenant's databases if it has
 * one, and the quotas that no tier names ({@link otherQuotas}). An outage of
 * these services therefore never keeps a suspension from zeroing what every
 * tenant has. Each write may be repeated. A failure lists what was applied
 * before it, and a second run repairs.
 *
 * @param tenant as it is under the lease: its present suspension decides what
 * is reset
 */
export const writeQuotas = Effect.fn("tenants.writeQuotas")(function* (
  tenant: TenantEntry,
  quotas: ServiceQuotas,
  tags: { readonly tier: TenantEntry["tier"]; readonly suspended: boolean }
) {
  const { project_id: projectId, stamp, suspended } = tenant
  const others = yield* otherQuotas(projectId, tags.suspended ? "close" : suspended ? "reset" : "leave")
  const applied: Array<string> = []

  const write = <A, R>(name: string, effect: Effect.Effect<A, UpstreamError | Taken, R>) =>
    Effect.tapError(Effect.mapError(effect, refusal(name, applied)), () =>
      Effect.logWarning("a quota write stopped half way", { projectId, at: name, applied })
    ).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          applied.push(name)
        })
      )
    )

  const all = Effect.gen(function* () {
    yield* write("compute", (yield* Nova).writeQuotas(projectId, quotas.nova))
    const cinder = yield* write("block_storage", (yield* Cinder).writeQuotasAboveUsage(projectId, quotas.cinder))
    yield* write("network", (yield* Neutron).forceQuotas(projectId, quotas.neutron))
    yield* write("load_balancers", (yield* Octavia).writeQuotas(projectId, quotas.octavia))
    yield* write("object_storage", (yield* Rgw).writeQuotas({ projectId, stamp, quotas: quotas.rgw }))
    const zones = (yield* Designate).writeZoneQuota(projectId, tags.suspended ? 0 : tiers[tags.tier].dns_zones)
    yield* write("dns", Effect.andThen(others.dns, zones))
    yield* write("databases", limitDatabases(projectId, tags.suspended ? "suspended" : tags.tier))
    if (others.all !== undefined) yield* write("others", others.all)
    yield* write("tier_tag", (yield* Keystone).retag(projectId, tags))

    return {
      nova: quotas.nova,
      cinder: cinder.written,
      cinder_held_at_usage: cinder.held,
      neutron: quotas.neutron,
      octavia: quotas.octavia,
      object_storage: quotas.rgw
    } satisfies AppliedQuotas
  })

  return yield* Effect.timeoutOrElse(all, {
    duration: timeLimit,
    orElse: () => Effect.fail(refusal("time limit", applied)(late()))
  })
})

const refusal = (at: string, applied: ReadonlyArray<string>) => (error: UpstreamError | Taken) =>
  BadGateway.quotaWrite({
    at,
    message: error.summary,
    transient: error.transient,
    applied: [...applied]
  })

const late = (): UpstreamError =>
  new UpstreamError({
    upstream: "portico",
    call: "write quotas",
    status: null,
    detail: `not done within ${Duration.format(timeLimit)}`
  })
