import type { Caller } from "@portico/contract/Access"
import { Invalid } from "@portico/contract/Failures"
import { pageOf, type PageRequest, pageRequestOf } from "@portico/contract/Page"
import { type CredentialRow, Credentials, type DerivedRow } from "@portico/store/Credentials"
import { type Listed, type ListedRow, Pages } from "@portico/store/Pages"
import { Clock, DateTime, Effect } from "effect"
import { listedProject } from "../access/reach.ts"
import type { CredentialEntry, ListedCredential } from "@portico/contract/Credentials"
import { boundsOfRow, endOf, standing } from "../access/bounds.ts"
import { isoOrNull } from "../isoOrNull.ts"

/** The filters of the list of credentials; each is off when it is undefined. */
export type CredentialFilters = Pick<Listed, "kind" | "label" | "madeBy" | "unusedDays">

/**
 * Lists a tenant's credentials; an administrator sees those of all tenants, each with its tenant. Revoked ones are
 * listed on request alone. A label selects the credentials with exactly that label.
 *
 * Errors: 422 for unused credentials together with revoked ones.
 */
export const listCredentials = Effect.fn("credentials.list")(function* (
  caller: Caller,
  includeRevoked: boolean,
  page: PageRequest = pageRequestOf({}),
  filters: CredentialFilters = {}
) {
  const projectId = yield* Effect.fromResult(listedProject(caller))
  const isOfUnused = filters.unusedDays !== undefined
  if (includeRevoked && isOfUnused) return yield* Invalid.issues([unusedOrRevoked])
  const found = yield* (yield* Pages).credentials({ ...filters, projectId, includeRevoked }, page)
  const { next_cursor, rows } = pageOf(found.rows, page, isOfUnused ? idlePositionOf : positionOf)
  const credentials = yield* Effect.forEach(rows, (row) => (projectId === undefined ? withTenant(row) : toWire(row)))
  return { count: found.count, next_cursor, credentials }
})

const unusedOrRevoked = {
  loc: ["query", "unused_days"],
  msg: "Input should be without include_revoked=true: revoked credentials are not listed by their use",
  type: "value_error"
}

/** A record as a platform administrator's list shows it. */
const withTenant = Effect.fnUntraced(function* (row: ListedRow) {
  const { tenant_name: name, tenant_slug: slug } = row
  const tenant = name === null || slug === null ? {} : { tenant: { slug, name } }
  return { ...(yield* toWire(row)), ...tenant } satisfies ListedCredential
})

/** The position of a credential in a list of unused ones. */
const idlePositionOf = ({ credential_id, idle_since }: ListedRow) => ({
  at: DateTime.toEpochMillis(idle_since),
  id: credential_id
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
    made_by: row.makers[0]?.public_id ?? null,
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
