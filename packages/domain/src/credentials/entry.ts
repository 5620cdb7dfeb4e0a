import type { CredentialEntry } from "@portico/contract/Credentials"
import { type CredentialRow, Credentials, type DerivedRow } from "@portico/store/Credentials"
import { Clock, DateTime, Effect } from "effect"
import { boundsOfRow, endOf, standing } from "../access/bounds.ts"
import { isoOrNull } from "../isoOrNull.ts"

/**
 * A record as lists show it. What has ended shows as such, though the record
 * says active until a sweep has been there; tier and end are those that its
 * makers leave to it.
 */
export const entryOf = Effect.fnUntraced(function* (row: DerivedRow) {
  const state = stateOf(row, yield* Clock.currentTimeMillis)
  const revoked = state === "revoked"
  const bounds = boundsOfRow(row)
  return {
    credential_id: row.credential_id,
    kind: bounds.agent ? "mcp" : "api-key",
    // What has ended is shown as it was.
    tier: revoked ? row.tier : bounds.tier,
    minted_tier: row.tier,
    label: row.label,
    project_id: row.project_id,
    state,
    revoked,
    client_id: row.client_id,
    created_at: DateTime.formatIso(row.created_at),
    created_by: row.created_by,
    expires_at: isoOrNull(revoked ? row.expires_at : endOf(row.expires_at, row.makers)),
    revoked_at: isoOrNull(revoked ? (row.revoked_at ?? row.revokes_at) : null),
    held: revoked ? [] : row.held,
    networks: row.networks,
    last_used_at: isoOrNull(row.last_used_at),
    last_used_from: row.last_used_from,
    rotated_to: row.rotated_to,
    revokes_at: isoOrNull(row.revokes_at)
  } satisfies CredentialEntry
})

/** {@link entryOf} of a record that was changed just now, and whose makers are looked up. */
export const derivedEntry = Effect.fnUntraced(function* (row: CredentialRow) {
  const { makers = [] } = (yield* (yield* Credentials).derived({ id: row.credential_id })) ?? {}
  return yield* entryOf({ ...row, makers })
})

/** Expiry, the end of an overlap and the makers' ends are comparisons with the clock. */
export const stateOf = (row: DerivedRow, now: number): CredentialEntry["state"] => {
  const found = standing(row, now)
  // A mint that still runs is in no list.
  return found === "minting" ? "active" : found
}
