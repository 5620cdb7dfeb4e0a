import { Tier } from "@portico/contract/Tiers"
import { everybodyIn } from "@portico/store/Credentials"
import { changeLease, type TenantEntry, Tenants } from "@portico/store/Tenants"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory, MemoryChanges } from "./Memory.ts"

export const layer = Layer.effect(
  Tenants,
  Effect.gen(function* () {
    const { tenants } = yield* Memory
    const changes = yield* MemoryChanges
    const notify = (projectId: string) => changes.tell(everybodyIn(projectId))
    const slugTaken = (slug: string) => [...tenants.values()].some((_) => _.slug === slug)

    const update = (projectId: string, lease: string, change: Partial<TenantEntry>) =>
      Effect.sync(() => {
        const held = tenants.get(projectId)
        if (held?.change_lease !== lease) return undefined
        const next = { ...held, ...change, change_lease: null, change_ends: null }
        tenants.set(projectId, next)
        return next
      })

    return Tenants.of({
      insert: Effect.fnUntraced(function* (tenant) {
        const created_at = yield* DateTime.now
        if (slugTaken(tenant.slug) || tenants.has(tenant.project_id)) {
          return yield* Effect.die(new Error(`there is a tenant ${tenant.slug} or a project ${tenant.project_id}`))
        }
        const entry: TenantEntry = {
          ...tenant,
          suspended: false,
          pending_tier: null,
          reached_tiers: [],
          change_lease: null,
          change_ends: null,
          closing: [],
          account_n: null,
          created_at
        }
        tenants.set(tenant.project_id, entry)
        return entry
      }),
      find: (projectId) => Effect.sync(() => tenants.get(projectId)),
      slugTaken: (slug) => Effect.sync(() => slugTaken(slug)),
      list: Effect.sync(() => [...tenants.values()]),
      beginChange: Effect.fnUntraced(function* (projectId, to) {
        const now = yield* Clock.currentTimeMillis
        const held = tenants.get(projectId)
        if (held === undefined || held.closing.length > 0) return undefined
        if (held.change_ends !== null && DateTime.toEpochMillis(held.change_ends) > now) return undefined
        const lease = randomUUID()
        tenants.set(projectId, {
          ...held,
          pending_tier: to,
          suspended: held.suspended || to === "suspended",
          reached_tiers: reachedBy(held),
          change_lease: lease,
          change_ends: DateTime.makeUnsafe(now + Duration.toMillis(changeLease))
        })
        yield* notify(projectId)
        return lease
      }),
      endChange: (projectId, lease, to) =>
        Effect.tap(update(projectId, lease, { ...to, pending_tier: null, reached_tiers: [] }), (changed) =>
          changed === undefined ? Effect.void : notify(projectId)
        ),
      releaseChange: (projectId, lease) => Effect.asVoid(update(projectId, lease, {}))
    })
  })
)

/** Includes the tier of a write that stopped half way. */
const reachedBy = ({ pending_tier, reached_tiers }: TenantEntry): ReadonlyArray<Tier> =>
  pending_tier === null || pending_tier === "suspended"
    ? reached_tiers
    : [...reached_tiers.filter((_) => _ !== pending_tier), pending_tier]
