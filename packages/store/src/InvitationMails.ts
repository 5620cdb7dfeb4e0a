import { Context, type DateTime, type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { memberIdOf } from "./memberRows.ts"
import { lockedIn, momentsOf, some } from "./rows.ts"

export interface InvitationLimits {
  /** The window in which mails count. */
  readonly window: Duration.Duration
  /** Mails to all addresses that a project invites. */
  readonly perProject: number
  /** Mails of a project to one address. */
  readonly perAddress: number
}

/** A mail that was counted. */
export interface InvitationMailRow {
  readonly project_id: string
  /** Stands for the address. */
  readonly member_id: string
  readonly at: DateTime.Utc
}

/**
 * The recent invitation mails, which count against limits. They outlive the
 * members that they were for: whoever invites and removes people in turn has
 * the same limits.
 */
export class InvitationMails extends Context.Service<
  InvitationMails,
  {
    /** Counts a mail that is about to be sent. False when a limit is reached. Serialised across all replicas. */
    take(projectId: string, email: string, limits: InvitationLimits): Effect.Effect<boolean>
  }
>()("portico/store/InvitationMails") {
  static readonly layer = Layer.effect(
    InvitationMails,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ago } = momentsOf(sql)
      const ofProject = lockedIn(sql, "portico/invitation-mails")
      // Of all projects, but for what another replica is deleting.
      const forget = (window: Duration.Duration) => sql`
        DELETE FROM invitation_mails WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM invitation_mails WHERE at <= ${ago(window)} FOR UPDATE SKIP LOCKED))`

      return InvitationMails.of({
        take: (projectId, email, { perAddress, perProject, window }) => {
          const member = memberIdOf(projectId, email)
          const counted = sql`SELECT count(*) FROM invitation_mails WHERE at > ${ago(window)}`
          const taken = sql`
            INSERT INTO invitation_mails (project_id, member_id)
            SELECT ${projectId}, ${member}
            WHERE (${counted} AND project_id = ${projectId}) < ${perProject}
              AND (${counted} AND member_id = ${member}) < ${perAddress}
            RETURNING 1`
          return ofProject(projectId, Effect.andThen(forget(window), some(taken)))
        }
      })
    })
  )
}
