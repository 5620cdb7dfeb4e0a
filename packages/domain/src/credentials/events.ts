import { type CredentialEvent, type CredentialKind, credentialTopic } from "@portico/contract/Events"
import type { CredentialRow } from "@portico/store/Credentials"
import { ProjectRecords } from "@portico/store/ProjectRecords"
import { Transactions } from "@portico/store/Transactions"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { keep } from "../events/Bus.ts"
import { eventIdOf } from "../events/eventId.ts"
import { isoOrNull } from "../isoOrNull.ts"

/** A change of a credential whose event is to be published. */
interface Change {
  readonly kind: CredentialKind
  readonly row: CredentialRow
  /**
   * The event's id. For a change that can happen only once it derives from the credential, so a
   * repetition is one event.
   */
  readonly id: string
}

const once =
  (kind: CredentialKind) =>
  (row: CredentialRow): Change => ({ kind, row, id: eventIdOf(`${kind} ${row.credential_id}`) })

export const createdOf = once("credential.created")
export const rotatedOf = once("credential.rotated")
export const revokedOf = once("credential.revoked")

/** Publishes events of changes in the transaction that makes the changes. */
export const publishChanges = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>) {
  const at = yield* DateTime.now
  yield* keep(changes.filter(({ row }) => isPublished(row)).map((_) => eventOf(_, at)))
})

/** A membership is not a credential, and an incomplete mint never became one. */
const isPublished = ({ kind, mint_ends }: CredentialRow): boolean => kind !== "member" && mint_ends === null

/** Changes credentials and publishes the events, both in one transaction. */
export const withEvents = Effect.fnUntraced(function* <A, E, R>(
  change: Effect.Effect<A, E, R>,
  changesOf: (changed: A) => ReadonlyArray<Change>
) {
  return yield* (yield* Transactions).atomically(Effect.tap(change, (changed) => publishChanges(changesOf(changed))))
})

/**
 * Changes credentials of projects and publishes an event for each that was suspended, restored or
 * revoked. A second suspension is a second event. The caller passes its whole transaction, because
 * the events must be its last statements.
 */
export const withProjectEvents = Effect.fnUntraced(function* <A, E, R>(
  projectIds: ReadonlyArray<string>,
  change: Effect.Effect<A, E, R>
) {
  const records = yield* ProjectRecords
  const held = Effect.map(Effect.forEach(projectIds, records.credentials), (_) => _.flat())
  const changing = Effect.gen(function* () {
    const before = new Map((yield* held).map((_) => [_.credential_id, _.state]))
    const result = yield* change
    const after = yield* held
    yield* publishChanges(after.flatMap((row) => becameOf(before.get(row.credential_id), row)))
    return result
  })
  return yield* (yield* Transactions).atomically(changing)
})

const becameOf = (before: CredentialRow["state"] | undefined, row: CredentialRow): ReadonlyArray<Change> => {
  if (before === row.state) return []
  if (row.state === "revoked") return [revokedOf(row)]
  if (row.state === "suspended") return [{ kind: "credential.suspended", row, id: randomUUID() }]
  return before === "suspended" ? [{ kind: "credential.restored", row, id: randomUUID() }] : []
}

const eventOf = ({ id, kind, row }: Change, at: DateTime.Utc): CredentialEvent => ({
  id,
  topic: credentialTopic,
  kind,
  at: DateTime.formatIso(at),
  key: row.credential_id,
  project_id: row.project_id,
  data: {
    credential_id: row.credential_id,
    credential_kind: row.kind === "mcp" ? "mcp" : "api-key",
    tier: row.tier,
    label: row.label,
    user_id: row.user_id,
    created_by: row.created_by,
    expires_at: isoOrNull(row.expires_at),
    held: row.held,
    rotates: row.rotates,
    rotated_to: row.rotated_to,
    revokes_at: isoOrNull(row.revokes_at)
  }
})
