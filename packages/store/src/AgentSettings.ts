import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { credentialLock } from "./credentialLock.ts"
import { channel, CredentialRow, everybodyIn } from "./Credentials.ts"
import { leasedOf } from "./leased.ts"
import { madeBelow } from "./makers.ts"
import { moment, momentsOf, rowsOf, run } from "./rows.ts"

export const AgentSettingsRow = Schema.Struct({
  project_id: Schema.String,
  /** Whether agents may use the agent plane. */
  enabled: Schema.Boolean,
  /** Which tool calls a person confirms. */
  confirm: Schema.Array(Schema.String),
  updated_at: Schema.NullOr(moment),
  updated_by: Schema.NullOr(Schema.String),
  /** When all agents of the project were last ended. */
  ended_at: Schema.NullOr(moment),
  ended_by: Schema.NullOr(Schema.String)
})
export type AgentSettingsRow = typeof AgentSettingsRow.Type

export type NewAgentSettings = Pick<AgentSettingsRow, "project_id" | "enabled" | "confirm"> & {
  readonly updated_by: string
}

/** The end of all agents of a project. */
export interface EndedAgents {
  readonly at: DateTime.Utc
  /** The records that it revoked, mints that were under way included. */
  readonly revoked: ReadonlyArray<CredentialRow>
}

/** The lease for the deactivation of a user at the identity provider, which takes one upstream call. */
export const deactivationLease = Duration.minutes(2)

/** The most users that one claim takes. */
export const deactivations = 100

/** What tenants decided about their agents, and the end of agents. Every process is notified of a change. */
export class AgentSettings extends Context.Service<
  AgentSettings,
  {
    /** Undefined while nothing was decided. */
    find(projectId: string): Effect.Effect<AgentSettingsRow | undefined>
    /** The same, behind an end of all agents that is under way. */
    findSettled(projectId: string): Effect.Effect<AgentSettingsRow | undefined>
    put(settings: NewAgentSettings): Effect.Effect<AgentSettingsRow>
    /**
     * Revokes all credentials for agents of a project and all credentials below
     * them, mints under way included, and stores the time. The users of those
     * that were complete are to be deactivated. Part of a transaction with
     * their events.
     */
    end(
      projectId: string,
      end: { readonly by: string; readonly confirm: ReadonlyArray<string> }
    ): Effect.Effect<EndedAgents>
    /** Claims ended credentials whose user is to be deactivated. Each goes to one replica. */
    readonly claimDeactivations: Effect.Effect<ReadonlyArray<CredentialRow>>
    /** The user of an ended credential is deactivated. */
    deactivated(credentialId: string): Effect.Effect<void>
  }
>()("portico/store/AgentSettings") {
  static readonly layer = Layer.effect(
    AgentSettings,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { json } = yield* PgClient.PgClient
      const { byId, one } = rowsOf(AgentSettingsRow)
      const { rows } = rowsOf(CredentialRow)
      const { now } = momentsOf(sql)
      const lock = credentialLock(sql)
      const notify = (projectId: string) => sql`SELECT pg_notify(${channel}, ${everybodyIn(projectId)})`
      const { claim } = leasedOf(sql, {
        table: "credentials",
        key: "credential_id",
        holder: null,
        ends: "deactivate_at",
        time: deactivationLease
      })

      const put = Effect.fnUntraced(function* ({ confirm, enabled, project_id, updated_by }: NewAgentSettings) {
        yield* notify(project_id)
        return yield* one(sql`
          INSERT INTO agent_settings (project_id, enabled, confirm, updated_at, updated_by)
          VALUES (${project_id}, ${enabled}, ${json(confirm)}, ${now}, ${updated_by})
          ON CONFLICT (project_id) DO UPDATE SET enabled = EXCLUDED.enabled, confirm = EXCLUDED.confirm,
            updated_at = EXCLUDED.updated_at, updated_by = EXCLUDED.updated_by
          RETURNING *`)
      })

      const end: AgentSettings["Service"]["end"] = (projectId, { by, confirm }) =>
        Effect.orDie(
          sql.withTransaction(
            Effect.gen(function* () {
              // A mint or rotation under way either has its record by now, which is revoked here, or inserts it after
              // this transaction, and then finds that its maker was ended (`unlessEnded`).
              yield* lock(projectId)
              const { ended_at } = yield* one(sql`
                INSERT INTO agent_settings (project_id, confirm, ended_at, ended_by)
                VALUES (${projectId}, ${json(confirm)}, ${now}, ${by})
                ON CONFLICT (project_id) DO UPDATE SET ended_at = EXCLUDED.ended_at, ended_by = EXCLUDED.ended_by
                RETURNING *`)
              if (ended_at === null) return yield* Effect.die(new Error("the end of agents was not stored"))
              const at = DateTime.toDateUtc(ended_at)
              const roots = sql`
                SELECT credential_id FROM credentials
                WHERE project_id = ${projectId} AND kind = 'mcp' AND state <> 'revoked'`
              // `mint_ends` stays: the sweep of mints removes the user of a mint that was under way.
              const revoked = yield* rows(sql`
                UPDATE credentials SET state = 'revoked', revoked_at = COALESCE(revoked_at, LEAST(revokes_at, ${at})),
                  deactivate_at = CASE WHEN mint_ends IS NULL THEN ${at}::timestamptz END
                WHERE kind <> 'member' AND state <> 'revoked' AND (credential_id IN (${roots}) OR credential_id IN (
                  SELECT below.id FROM (${roots}) AS root
                  CROSS JOIN LATERAL (${madeBelow(sql, sql`root.credential_id`)}) AS below))
                RETURNING *`)
              yield* notify(projectId)
              return { at: ended_at, revoked: revoked.toSorted((a, b) => (a.credential_id < b.credential_id ? -1 : 1)) }
            })
          )
        )

      const find = (projectId: string) =>
        byId(projectId, sql`SELECT * FROM agent_settings WHERE project_id = ${projectId}`)

      return AgentSettings.of({
        find,
        findSettled: (projectId) => Effect.orDie(sql.withTransaction(Effect.andThen(lock(projectId), find(projectId)))),
        put: (settings) => Effect.orDie(sql.withTransaction(put(settings))),
        end,
        claimDeactivations: rows(sql`${claim({ limit: deactivations })} RETURNING *`),
        deactivated: (credentialId) =>
          run(sql`UPDATE credentials SET deactivate_at = NULL WHERE credential_id = ${credentialId}`)
      })
    })
  )
}
