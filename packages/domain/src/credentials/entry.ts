import type { CredentialEntry } from "@portico/contract/Credentials"
import type { CredentialRow } from "@portico/store/Credentials"
import { Clock, DateTime, Effect } from "effect"

/** A record as lists show it. What has ended shows as such, though the record says active until somebody has looked. */
export const entryOf = Effect.fnUntraced(function* (row: CredentialRow) {
  const state = stateOf(row, yield* Clock.currentTimeMillis)
  const revoked = state === "revoked"
  return {
    credential_id: row.credential_id,
    kind: row.kind === "mcp" ? "mcp" : "api-key",
    tier: row.tier,
    label: row.label,
    project_id: row.project_id,
    state,
    revoked,
    client_id: row.client_id,
    created_at: DateTime.formatIso(row.created_at),
    created_by: row.created_by,
    expires_at: isoOf(row.expires_at),
    revoked_at: isoOf(revoked ? (row.revoked_at ?? row.revokes_at) : null),
    held: revoked ? [] : row.held,
    networks: row.networks,
    last_used_at: isoOf(row.last_used_at),
    last_used_from: row.last_used_from,
    rotated_to: row.rotated_to,
    revokes_at: isoOf(row.revokes_at)
  } satisfies CredentialEntry
})

/** Expiry and the end of an overlap are comparisons with the clock. */
export const stateOf = (row: CredentialRow, now: number): CredentialEntry["state"] =>
  row.state === "revoked" || isOver(row.revokes_at, now)
    ? "revoked"
    : row.state === "suspended"
      ? "suspended"
      : isOver(row.expires_at, now)
        ? "expired"
        : "active"

export const isoOf = (moment: DateTime.Utc | null): string | null =>
  moment === null ? null : DateTime.formatIso(moment)

const isOver = (end: DateTime.Utc | null, now: number): boolean => end !== null && DateTime.toEpochMillis(end) <= now
