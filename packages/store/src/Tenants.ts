import { Tier } from "@portico/contract/Tiers"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { everybodyIn, HoldReason, notifying } from "./Credentials.ts"
import { leasedOf } from "./leased.ts"
import { countOf, moment, momentsOf, rowsOf, run, some } from "./rows.ts"

export const TenantEntry = Schema.Struct({
  project_id: Schema.String,
  slug: Schema.String,
  name: Schema.String,
  tier: Tier,
  /** From the beginning of a suspension to the end of the move to a tier that lifts it. */
  suspended: Schema.Boolean,
  pending_tier: Schema.NullOr(Schema.Literals([...Tier.literals, "suspended"])),
  /** Tiers of earlier writes that stopped half way. Some of their quotas may be in force. */
  reached_tiers: Schema.Array(Tier),
  stamp: Schema.String,
  change_lease: Schema.NullOr(Schema.String),
  change_ends: Schema.NullOr(moment),
  /** The reasons that forbid changes; empty for a live tenant. */
  closing: Schema.Array(HoldReason),
  /** The account that owns it. */
  account_n: Schema.NullOr(Schema.Int),
  created_at: moment
})
export type TenantEntry = typeof TenantEntry.Type

/** Tenants with the same tiers. */
const Holding = Schema.Struct({
  tier: TenantEntry.fields.tier,
  pending_tier: TenantEntry.fields.pending_tier,
  reached_tiers: TenantEntry.fields.reached_tiers,
  count: Schema.Int,
  /** Null for tenants that nobody asked for by name, which are counted together. */
  project_id: Schema.NullOr(Schema.String),
  stamp: Schema.NullOr(Schema.String)
})
export type Holding = typeof Holding.Type

/** The goal of a quota write. */
export type Pending = NonNullable<TenantEntry["pending_tier"]>

/** Longer than the longest quota write with all its time-outs. */
export const changeLease = Duration.minutes(3)

/** How often tenants changed from one tier to another. */
const TierChange = Schema.Struct({
  /** Null for tenants that began. */
  was: Schema.NullOr(Tier),
  /** Null for tenants that ended. */
  became: Schema.NullOr(Tier),
  count: Schema.Int
})

/** What was sold and given back. */
export interface Sold {
  readonly changes: ReadonlyArray<typeof TierChange.Type>
  /** The seconds since the oldest recorded change, which may be longer ago than the changes here; 0 without one. */
  readonly recordedSeconds: number
}

/** The tenants that are live. */
export class Tenants extends Context.Service<
  Tenants,
  {
    insert(tenant: Pick<TenantEntry, "project_id" | "slug" | "name" | "tier" | "stamp">): Effect.Effect<TenantEntry>
    find(projectId: string): Effect.Effect<TenantEntry | undefined>
    slugTaken(slug: string): Effect.Effect<boolean>
    readonly list: Effect.Effect<ReadonlyArray<TenantEntry>>
    /** How many tenants have which tiers. Those of these projects and stamps stand alone. */
    holdings(alone: {
      readonly projects: ReadonlyArray<string>
      readonly stamps: ReadonlyArray<string>
    }): Effect.Effect<ReadonlyArray<Holding>>
    /** The tenants that began, moved to another tier, and ended within the last time. A trigger records them. */
    soldWithin(time: Duration.Duration): Effect.Effect<Sold>
    /**
     * Takes the lease to write this tenant's quotas, and stores the goal.
     * Undefined while another process holds the lease, and while the tenant is
     * being deleted or closed. Every process is notified of the beginning and
     * the end, because a suspension counts at once.
     */
    beginChange(projectId: string, to: Pending): Effect.Effect<string | undefined>
    /** Ends a complete quota write: the tenant reaches its goal. Undefined when the lease was lost meanwhile. */
    endChange(
      projectId: string,
      lease: string,
      to: { readonly tier: Tier; readonly suspended: boolean }
    ): Effect.Effect<TenantEntry | undefined>
    /** Releases the lease after a write that stopped half way. The goal stays. */
    releaseChange(projectId: string, lease: string): Effect.Effect<void>
  }
>()("portico/store/Tenants") {
  static readonly layer = Layer.effect(
    Tenants,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { byId, first, one, rows } = rowsOf(TenantEntry)
      const holdings = rowsOf(Holding)
      const tierChanges = rowsOf(TierChange)
      const { ago, now } = momentsOf(sql)
      const { isFree, own, released, taken } = leasedOf(sql, {
        table: "tenants",
        key: "project_id",
        holder: "change_lease",
        ends: "change_ends",
        time: changeLease
      })

      /** Changes a tenant, and notifies every process that caches its callers. */
      const changeAndNotify = (change: Statement.Fragment) =>
        first(notifying(sql, change, sql`${everybodyIn("")} || project_id`))

      return Tenants.of({
        insert: ({ name, project_id, slug, stamp, tier }) =>
          one(sql`
            INSERT INTO tenants (project_id, slug, name, tier, stamp)
            VALUES (${project_id}, ${slug}, ${name}, ${tier}, ${stamp}) RETURNING *`),
        find: (projectId) => byId(projectId, sql`SELECT * FROM tenants WHERE project_id = ${projectId}`),
        slugTaken: (slug) => some(sql`SELECT * FROM tenants WHERE slug = ${slug}`),
        list: rows(sql`SELECT * FROM tenants ORDER BY created_at, project_id`),
        holdings: ({ projects, stamps }) =>
          holdings.rows(sql`
            SELECT tier, pending_tier, reached_tiers, count(*)::int AS count,
              CASE WHEN alone THEN project_id END AS project_id, CASE WHEN alone THEN stamp END AS stamp
            FROM (SELECT *, project_id = ANY(${projects}::text[]) OR stamp = ANY(${stamps}::text[]) AS alone
              FROM tenants) AS tenants
            GROUP BY 1, 2, 3, 5, 6`),
        soldWithin: (time) =>
          Effect.all({
            changes: tierChanges.rows(sql`
              SELECT was, became, count(*)::int AS count FROM tier_changes WHERE at > ${ago(time)}
              GROUP BY was, became ORDER BY was, became`),
            recordedSeconds: countOf(sql`
              SELECT COALESCE(EXTRACT(epoch FROM ${now} - min(at)), 0)::int AS count FROM tier_changes`)
          }),
        beginChange: (projectId, to) =>
          Effect.map(
            changeAndNotify(sql`
              UPDATE tenants SET pending_tier = ${to}, suspended = suspended OR ${to === "suspended"}, ${taken},
                reached_tiers = CASE WHEN pending_tier IS NULL OR pending_tier = 'suspended' THEN reached_tiers
                  ELSE (reached_tiers - pending_tier) || to_jsonb(pending_tier) END
              WHERE project_id = ${projectId} AND closing = '[]' AND ${isFree}`),
            (_) => _?.change_lease ?? undefined
          ),
        endChange: (projectId, lease, { suspended, tier }) =>
          changeAndNotify(sql`
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
}
