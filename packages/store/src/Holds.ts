import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { credentialLock } from "./credentialLock.ts"
import { channel, CredentialRow, everybodyIn, type HoldReason } from "./Credentials.ts"
import { momentsOf, rowsOf } from "./rows.ts"

/** `changing`: its quotas are being written, and nothing was held. */
export type Held = "held" | "changing" | "absent"

/**
 * Projects that are being deleted or closed: their mark, and their machine
 * credentials, which are suspended as long as there is a reason. The mark and
 * the credentials change together, each at most once per reason, and every
 * process hears that calls of the whole project are decided otherwise from
 * then on: those of members too, because they meet the mark.
 */
export class Holds extends Context.Service<
  Holds,
  {
    /** Marks the project and suspends its machine credentials, those that are being minted included. Repeatable. */
    hold(projectId: string, reason: HoldReason): Effect.Effect<Held>
    /**
     * Takes the reason away from the project and from its credentials.
     * Returns the ids of the credentials that work again, oldest first;
     * undefined when the project was not marked with the reason.
     */
    release(projectId: string, reason: HoldReason): Effect.Effect<ReadonlyArray<string> | undefined>
  }
>()("portico/store/Holds") {
  static readonly layer = Layer.effect(
    Holds,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { now } = momentsOf(sql)
      const { rows } = rowsOf(CredentialRow)
      const of = (reason: HoldReason) => sql`to_jsonb(${reason}::text)`
      const lock = credentialLock(sql)
      const tell = (projectId: string) => sql`SELECT pg_notify(${channel}, ${everybodyIn(projectId)})`

      const hold = Effect.fnUntraced(function* (projectId: string, reason: HoldReason) {
        yield* lock(projectId)
        const marked = yield* sql`
          UPDATE tenants SET closing = CASE WHEN closing @> ${of(reason)} THEN closing ELSE closing || ${of(reason)} END
          WHERE project_id = ${projectId} AND (change_ends IS NULL OR change_ends <= ${now}) RETURNING project_id`
        if (marked.length === 0) {
          const found = yield* sql`SELECT project_id FROM tenants WHERE project_id = ${projectId}`
          return found.length === 0 ? ("absent" as const) : ("changing" as const)
        }
        yield* sql`
          UPDATE credentials SET held = held || ${of(reason)}, state = CASE state WHEN 'active' THEN 'suspended' ELSE state END
          WHERE project_id = ${projectId} AND kind <> 'member' AND state <> 'revoked' AND NOT held @> ${of(reason)}`
        yield* tell(projectId)
        return "held" as const
      })

      const release = Effect.fnUntraced(function* (projectId: string, reason: HoldReason) {
        yield* lock(projectId)
        const unmarked = yield* sql`
          UPDATE tenants SET closing = closing - ${reason}::text
          WHERE project_id = ${projectId} AND closing @> ${of(reason)} RETURNING project_id`
        if (unmarked.length === 0) return undefined
        const restored = yield* rows(sql`
          UPDATE credentials SET held = held - ${reason}::text,
            state = CASE WHEN state = 'suspended' AND held - ${reason}::text = '[]' THEN 'active' ELSE state END
          WHERE project_id = ${projectId} AND kind <> 'member' AND held @> ${of(reason)} RETURNING *`)
        yield* tell(projectId)
        return idsOf(restored)
      })

      return Holds.of({
        hold: (projectId, reason) => Effect.orDie(sql.withTransaction(hold(projectId, reason))),
        release: (projectId, reason) => Effect.orDie(sql.withTransaction(release(projectId, reason)))
      })
    })
  )
}

/** Of those that became active. */
export const idsOf = (rows: ReadonlyArray<CredentialRow>): ReadonlyArray<string> =>
  rows
    .filter((_) => _.state === "active")
    .toSorted(
      (a, b) =>
        DateTime.toEpochMillis(a.created_at) - DateTime.toEpochMillis(b.created_at) ||
        (a.credential_id < b.credential_id ? -1 : 1)
    )
    .map((_) => _.credential_id)
