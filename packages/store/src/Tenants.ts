import { Tier } from "@portico/contract/Tiers"
import { Clock, Context, DateTime, Duration, Effect, Layer, PubSub, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { randomUUID } from "node:crypto"
import { channel, everybodyIn, HoldReason } from "./Credentials.ts"
import { leasedOf } from "./leased.ts"
import { Memory, MemoryChanges } from "./Memory.ts"
import { moment, rowsOf, run, some } from "./rows.ts"

export const TenantEntry = Schema.Struct({
  project_id: Schema.String,
  slug: Schema.String,
  name: Schema.String,
  tier: Tier,
  /** From the beginning of a suspension to the end of the move to a tier that lifts it. */
  suspended: Schema.Boolean,
  pending_tier: Schema.NullOr(Schema.Literals([...Tier.literals, "suspended"])),
  /** Tiers of earlier writes that stopped half way: their quotas may be in force in places. */
  reached_tiers: Schema.Array(Tier),
  stamp: Schema.String,
  change_lease: Schema.NullOr(Schema.String),
  change_ends: Schema.NullOr(moment),
  /** Why nothing can be changed in it; live when there is no reason. */
  closing: Schema.Array(HoldReason),
  /** The account that owns it. */
  account_n: Schema.NullOr(Schema.Int),
  created_at: moment
})
export type TenantEntry = typeof TenantEntry.Type

/** What a quota write works towards. */
export type Pending = NonNullable<TenantEntry["pending_tier"]>

/** Longer than the longest quota write takes, all its time-outs together. */
export const changeLease = Duration.minutes(3)

/** The tenants that are live. */
export class Tenants extends Context.Service<
  Tenants,
  {
    insert(tenant: Pick<TenantEntry, "project_id" | "slug" | "name" | "tier" | "stamp">): Effect.Effect<TenantEntry>
    find(projectId: string): Effect.Effect<TenantEntry | undefined>
    slugTaken(slug: string): Effect.Effect<boolean>
    readonly list: Effect.Effect<ReadonlyArray<TenantEntry>>
    /**
     * Takes the right to write this tenant's quotas, and remembers what they
     * are moved to. Undefined while somebody else holds that right, and while it is being deleted or closed. Every
     * process hears of it, as of the end: a suspension counts at once.
     */
    beginChange(projectId: string, to: Pending): Effect.Effect<string | undefined>
    /** The quotas are written: the tenant is what it was moved to. Undefined when the right was lost meanwhile. */
    endChange(
      projectId: string,
      lease: string,
      to: { readonly tier: Tier; readonly suspended: boolean }
    ): Effect.Effect<TenantEntry | undefined>
    /** The write stopped half way: what it was to become stays, the right goes. */
    releaseChange(projectId: string, lease: string): Effect.Effect<void>
  }
>()("portico/store/Tenants") {
  static readonly layer = Layer.effect(
    Tenants,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { byId, first, one, rows } = rowsOf(TenantEntry)
      const { isFree, own, released, taken } = leasedOf(sql, {
        table: "tenants",
        key: "project_id",
        holder: "change_lease",
        ends: "change_ends",
        time: changeLease
      })

      /** Changes a tenant, and tells every process that keeps what it knows of the tenant's callers. */
      const told = (change: Statement.Fragment) =>
        first(sql`
          WITH changed AS (${change} RETURNING *),
            told AS (SELECT pg_notify(${channel}, ${everybodyIn("")} || project_id) FROM changed)
          SELECT changed.* FROM changed, told`)

      return Tenants.of({
        insert: ({ name, project_id, slug, stamp, tier }) =>
          one(sql`
            INSERT INTO tenants (project_id, slug, name, tier, stamp)
            VALUES (${project_id}, ${slug}, ${name}, ${tier}, ${stamp}) RETURNING *`),
        find: (projectId) => byId(projectId, sql`SELECT * FROM tenants WHERE project_id = ${projectId}`),
        slugTaken: (slug) => some(sql`SELECT * FROM tenants WHERE slug = ${slug}`),
        list: rows(sql`SELECT * FROM tenants ORDER BY created_at, project_id`),
        beginChange: (projectId, to) =>
          Effect.map(
            told(sql`
              UPDATE tenants SET pending_tier = ${to}, suspended = suspended OR ${to === "suspended"}, ${taken},
                reached_tiers = CASE WHEN pending_tier IS NULL OR pending_tier = 'suspended' THEN reached_tiers
                  ELSE (reached_tiers - pending_tier) || to_jsonb(pending_tier) END
              WHERE project_id = ${projectId} AND closing = '[]' AND ${isFree}`),
            (_) => _?.change_lease ?? undefined
          ),
        endChange: (projectId, lease, { suspended, tier }) =>
          told(sql`
            UPDATE tenants
            SET tier = ${tier}, suspended = ${suspended}, pending_tier = NULL, reached_tiers = '[]',
              ${released(undefined)}
            WHERE ${own({ project_id: projectId, lease })}`),
        releaseChange: (projectId, lease) =>
          run(sql`
              UPDATE tenants SET ${released(undefined)}
              WHERE ${own({ project_id: projectId, lease })}`)
      })
    })
  )

  static readonly layerMemory = Layer.effect(
    Tenants,
    Effect.gen(function* () {
      const { tenants } = yield* Memory
      const changes = yield* MemoryChanges
      const tell = (projectId: string) => PubSub.publish(changes, everybodyIn(projectId))
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
          yield* tell(projectId)
          return lease
        }),
        endChange: (projectId, lease, to) =>
          Effect.tap(update(projectId, lease, { ...to, pending_tier: null, reached_tiers: [] }), (changed) =>
            changed === undefined ? Effect.void : tell(projectId)
          ),
        releaseChange: (projectId, lease) => Effect.asVoid(update(projectId, lease, {}))
      })
    })
  )
}

/** With the tier of the write that stopped half way, when there is one. */
const reachedBy = ({ pending_tier, reached_tiers }: TenantEntry): ReadonlyArray<Tier> =>
  pending_tier === null || pending_tier === "suspended"
    ? reached_tiers
    : [...reached_tiers.filter((_) => _ !== pending_tier), pending_tier]
