import { Tier } from "@portico/contract/Tiers"
import { everybodyIn } from "@portico/store/Credentials"
import { changeLease, type TenantEntry, Tenants } from "@portico/store/Tenants"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { Memory, MemoryChanges } from "./Memory.ts"

export const layer = Layer.effect(
  Tenants,
  Effect.gen(function* () {
    const { tenants, tierChanges } = yield* Memory
    const recorded = tierRecorder(tierChanges)
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
        yield* recorded(null, tenant.tier)
        return entry
      }),
      find: (projectId) => Effect.sync(() => tenants.get(projectId)),
      slugTaken: (slug) => Effect.sync(() => slugTaken(slug)),
      list: Effect.sync(() => [...tenants.values()]),
      holdings: ({ projects, stamps }) =>
        Effect.sync(() =>
          [...tenants.values()].map(({ pending_tier, project_id, reached_tiers, stamp, tier }) => {
            const alone = projects.includes(project_id) || stamps.includes(stamp)
            const named = alone ? { project_id, stamp } : { project_id: null, stamp: null }
            return { tier, pending_tier, reached_tiers, count: 1, ...named }
          })
        ),
      soldWithin: Effect.fnUntraced(function* (time) {
        const now = yield* DateTime.now
        const all = [...tierChanges.values()]
        const since = DateTime.subtractDuration(now, time)
        const within = all.filter((_) => DateTime.isGreaterThan(_.at, since))
        const oldest = Math.min(...all.map((_) => DateTime.toEpochMillis(_.at)))
        return {
          changes: [...Map.groupBy(within, (_) => `${_.was} ${_.became}`).values()].flatMap((same) =>
            same.slice(0, 1).map(({ became, was }) => ({ was, became, count: same.length }))
          ),
          recordedSeconds: all.length === 0 ? 0 : Math.round((DateTime.toEpochMillis(now) - oldest) / 1000)
        }
      }),
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
      endChange: Effect.fnUntraced(function* (projectId, lease, to) {
        const was = tenants.get(projectId)?.tier
        const changed = yield* update(projectId, lease, { ...to, pending_tier: null, reached_tiers: [] })
        if (changed === undefined) return undefined
        if (was !== undefined && was !== to.tier) yield* recorded(was, to.tier)
        yield* notify(projectId)
        return changed
      }),
      releaseChange: (projectId, lease) => Effect.asVoid(update(projectId, lease, {}))
    })
  })
)

/** Records a tenant that began, moved or ended, as the trigger in SQL does. */
export const tierRecorder = (changes: Memory["Service"]["tierChanges"]) => (was: Tier | null, became: Tier | null) =>
  Effect.map(DateTime.now, (at) => {
    changes.set(changes.size, { at, was, became })
  })

/** Includes the tier of a write that stopped half way. */
const reachedBy = ({ pending_tier, reached_tiers }: TenantEntry): ReadonlyArray<Tier> =>
  pending_tier === null || pending_tier === "suspended"
    ? reached_tiers
    : [...reached_tiers.filter((_) => _ !== pending_tier), pending_tier]
