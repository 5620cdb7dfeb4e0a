import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  claimable,
  type Claiming,
  ClaimInUse,
  ClaimRow,
  ExposureEntry,
  firstDueAfter,
  type Intervals,
  isForgotten,
  type NewExposure,
  provable,
  claimRetention,
  type Removing
} from "./edgeRows.ts"
import { leasedOf } from "./leased.ts"
import { advisoryLock, moment, momentsOf, rowsOf, run } from "./rows.ts"
import { within } from "./within.ts"

export type { Claiming, ExposureEntry, Intervals, NewExposure, Removing } from "./edgeRows.ts"

/** Why nothing was inserted, see `claimable`. `name_taken`: another exposure of the tenant has the name. */
export type NotInserted = "name_taken" | "claimed" | "in_use" | "busy"

/** `displaced`: the exposure that lost the domain, if one had it before. */
export type Proved = "gone" | "claimed" | { readonly displaced: ExposureEntry | undefined }

/**
 * The exposures of tenants and the domains that they claim. Claims of one name
 * are serialised across all replicas. A name has at most one verified claim.
 */
export class Exposures extends Context.Service<
  Exposures,
  {
    /** Inserts the exposure with its claim, or neither. An exposure that is being removed does not hold its name. */
    insert(exposure: NewExposure, claiming: Claiming | undefined): Effect.Effect<ExposureEntry | NotInserted>
    find(exposureId: string, projectId?: string): Effect.Effect<ExposureEntry | undefined>
    /** All exposures of a tenant, including those being removed, oldest first. */
    list(projectId: string): Effect.Effect<ReadonlyArray<ExposureEntry>>
    /** The challenge of the verified claim that another tenant has on the domain. */
    challengeOfOther(domain: string, projectId: string): Effect.Effect<string | undefined>
    /**
     * Verifies the exposure's claim: it alone has the domain from now on.
     *
     * @param overlooking the challenge of a verified claim whose TXT record is
     * gone
     */
    prove(exposure: ExposureEntry, overlooking: string | undefined): Effect.Effect<Proved>
    /** Sets whether the tenant has lost the address. */
    setLost(exposureId: string, lost: boolean): Effect.Effect<void>
    /** Marks the exposure for removal; it is due after the given time. The first reason stays. */
    markRemoving(exposureId: string, why: Removing, after: Duration.Duration): Effect.Effect<void>
    /**
     * Deletes the row and frees its domain, once the exposure's objects are
     * gone. Only the fact that the tenant claimed the name before is kept.
     */
    drop(exposureId: string): Effect.Effect<void>
    /**
     * Claims the exposures that are due, oldest first. They are due again after
     * the interval of their kind of target. Each goes to one replica.
     */
    claimDue(limit: number, intervals: Intervals): Effect.Effect<ReadonlyArray<ExposureEntry>>
    /** The subset of the ids that are exposures. */
    known(exposureIds: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>>
    /** Deletes claims that were released more than {@link claimRetention} ago. */
    prune: Effect.Effect<void>
    /** Deletes all exposures and claims of a tenant that is gone. Repeatable. */
    removeOfProject(projectId: string): Effect.Effect<void>
  }
>()("portico/store/Exposures") {
  static readonly layer = Layer.effect(
    Exposures,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { byId, rows } = rowsOf(ExposureEntry)
      const claims = rowsOf(ClaimRow)
      const claimsInUse = rowsOf(ClaimInUse)
      const { after, ago, now } = momentsOf(sql)
      const { claim: claimOf } = leasedOf(sql, {
        table: "edge_exposures",
        key: "exposure_id",
        holder: null,
        ends: "due_at",
        time: firstDueAfter
      })

      const withClaim = sql`e.*, c.challenge, c.claimed_at, c.held_until, c.verified_at`
      const claim = sql`LEFT JOIN edge_claims c ON c.exposure_id = e.exposure_id`
      const entries = sql`SELECT ${withClaim} FROM edge_exposures e ${claim}`
      const entry = (exposureId: string, projectId?: string) =>
        byId(exposureId, sql`${entries} WHERE e.exposure_id = ${exposureId} ${within(sql, projectId, "e.project_id")}`)

      /** Serialises changes to the claims of a name until the transaction ends. */
      const lockDomain = (domain: string) => Effect.orDie(sql`SELECT ${advisoryLock(sql, "portico/edge", domain)}`)
      const transaction = <A>(effect: Effect.Effect<A>) => Effect.orDie(sql.withTransaction(effect))

      const moments = rowsOf(Schema.Struct({ at: moment }))

      const claimed = Effect.fnUntraced(function* (domain: string, exposureId: string, claiming: Claiming) {
        yield* lockDomain(domain)
        yield* Effect.orDie(sql`
          DELETE FROM edge_claims WHERE domain = ${domain} AND released_at <= ${ago(claimRetention)}`)
        const held = yield* claimsInUse.rows(sql`
          SELECT c.*, e.removing FROM edge_claims c LEFT JOIN edge_exposures e ON e.exposure_id = c.exposure_id
          WHERE c.domain = ${domain}`)
        const { at } = yield* moments.one(sql`SELECT ${now} AS at`)
        const outcome = claimable(held, claiming, at)
        if (typeof outcome === "string") return outcome
        const until = outcome.held_until === null ? sql`NULL` : sql`${DateTime.toDateUtc(outcome.held_until)}`
        yield* Effect.orDie(sql`
          INSERT INTO edge_claims (domain, project_id, exposure_id, challenge, claimed_at, held_until)
          VALUES (${domain}, ${claiming.project_id}, ${exposureId}, ${claiming.challenge}, ${DateTime.toDateUtc(at)}, ${until})
          ON CONFLICT (domain, project_id) DO UPDATE SET exposure_id = EXCLUDED.exposure_id,
            challenge = EXCLUDED.challenge, claimed_at = EXCLUDED.claimed_at, held_until = EXCLUDED.held_until,
            verified_at = NULL, released_at = NULL`)
        return undefined
      })

      const insert = Effect.fnUntraced(function* (_: NewExposure, claiming: Claiming | undefined) {
        // Of two parallel inserts of one name, the second sees the first.
        yield* Effect.orDie(sql`SELECT ${advisoryLock(sql, "portico/edge-names", _.project_id)}`)
        const same = yield* Effect.orDie(sql`
          SELECT 1 FROM edge_exposures WHERE project_id = ${_.project_id} AND name = ${_.name} AND removing IS NULL`)
        if (same.length > 0) return "name_taken" as const
        if (_.domain !== null && claiming !== undefined) {
          const refused = yield* claimed(_.domain, _.exposure_id, claiming)
          if (refused !== undefined) return refused
        }
        yield* Effect.orDie(sql`
          INSERT INTO edge_exposures
            (exposure_id, project_id, name, hostname, service, address, port, domain, due_at, created_at)
          VALUES (${_.exposure_id}, ${_.project_id}, ${_.name}, ${_.hostname}, ${_.service}, ${_.address}, ${_.port},
            ${_.domain}, ${after(firstDueAfter)}, ${now})`)
        return yield* rows(sql`${entries} WHERE e.exposure_id = ${_.exposure_id}`).pipe(
          Effect.flatMap((found) => Effect.orDie(Effect.fromNullishOr(found[0])))
        )
      })

      const prove = Effect.fnUntraced(function* (exposureId: string, domain: string, overlooking: string | undefined) {
        yield* lockDomain(domain)
        const held = yield* claims.rows(sql`SELECT * FROM edge_claims WHERE domain = ${domain}`)
        const outcome = provable(held, { exposureId, overlooking })
        if (typeof outcome === "string") return outcome
        const displaced = outcome.displaced?.exposure_id ?? undefined
        if (displaced !== undefined) {
          yield* Effect.orDie(
            sql`UPDATE edge_claims SET verified_at = NULL, held_until = NULL WHERE exposure_id = ${displaced}`
          )
          yield* Effect.orDie(sql`UPDATE edge_exposures SET due_at = ${now} WHERE exposure_id = ${displaced}`)
        }
        yield* Effect.orDie(sql`
          UPDATE edge_claims SET verified_at = COALESCE(verified_at, ${now}), held_until = NULL
          WHERE exposure_id = ${exposureId}`)
        return { displaced: displaced === undefined ? undefined : yield* entry(displaced) }
      })

      const drop = Effect.fnUntraced(function* (exposureId: string) {
        const found = yield* entry(exposureId)
        if (found === undefined) return
        if (found.domain !== null) yield* lockDomain(found.domain)
        yield* Effect.orDie(sql`DELETE FROM edge_exposures WHERE exposure_id = ${exposureId}`)
        yield* Effect.orDie(
          isForgotten(found, found.removing)
            ? sql`DELETE FROM edge_claims WHERE exposure_id = ${exposureId}`
            : sql`UPDATE edge_claims SET exposure_id = NULL, held_until = NULL, verified_at = NULL, released_at = ${now}
                WHERE exposure_id = ${exposureId}`
        )
      })

      return Exposures.of({
        insert: (exposure, claiming) => transaction(insert(exposure, claiming)),
        find: entry,
        list: (projectId) =>
          rows(sql`${entries} WHERE e.project_id = ${projectId} ORDER BY e.created_at, e.exposure_id`),
        challengeOfOther: (domain, projectId) =>
          Effect.map(
            claims.first(sql`
              SELECT * FROM edge_claims
              WHERE domain = ${domain} AND verified_at IS NOT NULL AND project_id <> ${projectId}`),
            (_) => _?.challenge
          ),
        prove: ({ domain, exposure_id }, overlooking) =>
          domain === null ? Effect.succeed("gone") : transaction(prove(exposure_id, domain, overlooking)),
        setLost: (exposureId, lost) =>
          run(sql`UPDATE edge_exposures SET lost = ${lost} WHERE exposure_id = ${exposureId}`),
        markRemoving: (exposureId, why, wait) =>
          run(sql`
              UPDATE edge_exposures SET removing = COALESCE(removing, ${why}), due_at = ${after(wait)}
              WHERE exposure_id = ${exposureId}`),
        drop: (exposureId) => transaction(drop(exposureId)),
        claimDue: (limit, { address, service }) =>
          rows(sql`
            WITH due AS (
              ${claimOf({ limit, until: sql`CASE WHEN address IS NULL THEN ${after(service)} ELSE ${after(address)} END` })}
              RETURNING *)
            SELECT ${withClaim} FROM due e ${claim} ORDER BY e.created_at, e.exposure_id`),
        known: (exposureIds) =>
          exposureIds.length === 0
            ? Effect.succeed(new Set())
            : Effect.map(
                rows(sql`${entries} WHERE ${sql.in("e.exposure_id", exposureIds)}`),
                (found) => new Set(found.map((_) => _.exposure_id))
              ),
        prune: run(sql`DELETE FROM edge_claims WHERE released_at <= ${ago(claimRetention)}`),
        removeOfProject: (projectId) =>
          transaction(
            Effect.orDie(
              Effect.asVoid(
                Effect.andThen(
                  sql`DELETE FROM edge_exposures WHERE project_id = ${projectId}`,
                  sql`DELETE FROM edge_claims WHERE project_id = ${projectId}`
                )
              )
            )
          )
      })
    })
  )
}
