import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { credentialLock } from "./credentialLock.ts"
import { channel, CredentialRow, everybodyIn, type HoldReason } from "./Credentials.ts"
import { momentsOf, rowsOf } from "./rows.ts"

/** `changing`: a quota write is under way, and nothing was held. */
export type Held = "held" | "changing" | "absent"

/**
 * Projects that are being deleted or closed: their mark, and their machine
 * credentials, which stay suspended while there is a reason. The mark and the
 * credentials change together, at most once per reason. Every process is
 * notified to re-evaluate the whole project's calls, members' included, because
 * the mark applies to them.
 */
export class Holds extends Context.Service<
  Holds,
  {
    /** Marks the project and suspends its machine credentials, including those being minted. Repeatable. */
    hold(projectId: string, reason: HoldReason): Effect.Effect<Held>
    /**
     * Removes the reason from the project and its credentials. Returns the ids
     * of the credentials that work again, oldest first; undefined when the
     * project was not marked with the reason.
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
      const notify = (projectId: string) => sql`SELECT pg_notify(${channel}, ${everybodyIn(projectId)})`

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
        yield* notify(projectId)
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
        yield* notify(projectId)
        return idsOf(restored)
      })

      return Holds.of({
        hold: (projectId, reason) => Effect.orDie(sql.withTransaction(hold(projectId, reason))),
        release: (projectId, reason) => Effect.orDie(sql.withTransaction(release(projectId, reason)))
      })
    })
  )
}

/** The ids of those that are active, oldest first. */
export const idsOf = (rows: ReadonlyArray<CredentialRow>): ReadonlyArray<string> =>
  rows
    .filter((_) => _.state === "active")
    .toSorted(
      (a, b) =>
        DateTime.toEpochMillis(a.created_at) - DateTime.toEpochMillis(b.created_at) ||
        (a.credential_id < b.credential_id ? -1 : 1)
    )
    .map((_) => _.credential_id)
