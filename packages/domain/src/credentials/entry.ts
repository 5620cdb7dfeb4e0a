import type { CredentialEntry } from "@portico/contract/Credentials"
import type { CredentialRow } from "@portico/store/Credentials"
import { Clock, DateTime, Effect } from "effect"

/** A record as lists show it. Expiry shows as a state, though the record says active. */
export const entryOf = Effect.fnUntraced(function* (row: CredentialRow) {
  const now = yield* Clock.currentTimeMillis
  const expired = row.expires_at !== null && DateTime.toEpochMillis(row.expires_at) <= now
  return {
    credential_id: row.credential_id,
    kind: row.kind === "mcp" ? "mcp" : "api-key",
    tier: row.tier,
    label: row.label,
    project_id: row.project_id,
    state: row.state === "revoked" || row.state === "suspended" ? row.state : expired ? "expired" : "active",
    revoked: row.state === "revoked",
    client_id: row.client_id,
    created_at: DateTime.formatIso(row.created_at),
    created_by: row.created_by,
    expires_at: row.expires_at === null ? null : DateTime.formatIso(row.expires_at),
    revoked_at: row.revoked_at === null ? null : DateTime.formatIso(row.revoked_at)
  } satisfies CredentialEntry
})
