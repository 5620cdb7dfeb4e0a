import type { Caller } from "@portico/contract/Access"
import { pageOf, type PageRequest, pageRequestOf } from "@portico/contract/Page"
import { type CredentialRow, Credentials, type DerivedRow } from "@portico/store/Credentials"
import { Pages } from "@portico/store/Pages"
import { Clock, DateTime, Effect } from "effect"
import { listedProject } from "../access/reach.ts"
import type { CredentialEntry } from "@portico/contract/Credentials"
import { boundsOfRow, endOf, standing } from "../access/bounds.ts"
import { isoOrNull } from "../isoOrNull.ts"

/**
 * Lists a tenant's credentials; an administrator sees those of all tenants. Revoked ones are listed
 * on request alone. A label selects the credentials with exactly that label.
 */
export const listCredentials = Effect.fn("credentials.list")(function* (
  caller: Caller,
  includeRevoked: boolean,
  page: PageRequest = pageRequestOf({}),
  label?: string
) {
  const listed = { projectId: yield* Effect.fromResult(listedProject(caller)), includeRevoked, label }
  const found = yield* (yield* Pages).credentials(listed, page)
  const { next_cursor, rows } = pageOf(found.rows, page, positionOf)
  return { count: found.count, next_cursor, credentials: yield* Effect.forEach(rows, toWire) }
})

/** The position of a credential in a list. */
export const positionOf = ({ created_at, credential_id }: CredentialRow) => ({
  at: DateTime.toEpochMillis(created_at),
  id: credential_id
})

/**
 * A record as lists show it. A credential that has ended shows as ended, even before a sweep has
 * updated the record. Tier and end are those that its makers leave it.
 */
export const toWire = Effect.fnUntraced(function* (row: DerivedRow) {
  const state = stateOf(row, yield* Clock.currentTimeMillis)
  const revoked = state === "revoked"
  const bounds = boundsOfRow(row)
  return {
    credential_id: row.credential_id,
    kind: bounds.agent ? "mcp" : "api-key",
    // A revoked credential shows its own tier and expiry.
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

/** {@link toWire} for a record that has just changed; it looks up the makers. */
export const toWireWithMakers = Effect.fnUntraced(function* (row: CredentialRow) {
  const { makers = [] } = (yield* (yield* Credentials).derived({ id: row.credential_id })) ?? {}
  return yield* toWire({ ...row, makers })
})

/** The current state: expiry, the end of an overlap and the makers' ends are compared with the clock. */
export const stateOf = (row: DerivedRow, now: number): CredentialEntry["state"] => {
  const found = standing(row, now)
  // A list never contains a mint in progress.
  return found === "minting" ? "active" : found
}
