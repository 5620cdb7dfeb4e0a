import type { Caller } from "@portico/contract/Access"
import { Conflict, NotFound, Unprocessable } from "@portico/contract/Failures"
import { pageOf, pageRequestOf } from "@portico/contract/Page"
import type { WorkloadIssuerChange, WorkloadIssuerRequest, WorkloadIssuerRow } from "@portico/contract/WorkloadIdentity"
import { Tenants } from "@portico/store/Tenants"
import { type WorkloadIssuer, WorkloadIssuers } from "@portico/store/WorkloadIssuers"
import { KeyEndpoints } from "@portico/upstream/oidc/KeyEndpoints"
import { DateTime, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { Records } from "../access/Records.ts"

/** All mappings, oldest first, a page at a time. */
export const listIssuers = Effect.fn("workloadIdentity.list")(function* (query: {
  readonly limit?: number
  readonly cursor?: string
}) {
  const request = pageRequestOf(query)
  const found = yield* (yield* WorkloadIssuers).page(request)
  const { next_cursor, rows } = pageOf(found.rows, request, (_) => ({
    at: DateTime.toEpochMillis(_.created_at),
    id: _.issuer_id
  }))
  return { count: found.count, next_cursor, issuers: rows.map(toWire) }
})

/**
 * Lets the service accounts of a cluster act for a tenant. An issuer maps to
 * one tenant: two clusters with the same issuer name cannot be told apart.
 *
 * Errors: 404 for an unknown tenant; 409 for an issuer that is registered
 * already; 422 for an address that keys are never fetched from.
 */
export const registerIssuer = Effect.fn("workloadIdentity.register")(function* (
  caller: Caller,
  request: WorkloadIssuerRequest
) {
  const discovery_url = request.discovery_url ?? `${request.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  yield* fetchable({ ...request, discovery_url })
  if ((yield* (yield* Tenants).find(request.project_id)) === undefined)
    return yield* NotFound.tenant(request.project_id)
  const registered = yield* (yield* WorkloadIssuers).insert({
    ...request,
    discovery_url,
    issuer_id: `wi-${randomBytes(6).toString("hex")}`,
    created_by: caller.userId
  })
  return registered === undefined ? yield* Conflict.issuerRegistered() : toWire(registered)
})

/**
 * Changes a mapping. Every token that was issued under it ends, so no bearer
 * keeps what an operator took away.
 *
 * Errors: 404; 422 for an address that keys are never fetched from.
 */
export const changeIssuer = Effect.fn("workloadIdentity.change")(function* (
  issuerId: string,
  change: WorkloadIssuerChange
) {
  yield* fetchable(change)
  const changed = yield* (yield* WorkloadIssuers).change(issuerId, change)
  return changed === undefined ? yield* NotFound.workloadIssuer(issuerId) : yield* ended(changed)
})

/** Removes a mapping, and ends every token that was issued under it. 404 for an unknown one. */
export const removeIssuer = Effect.fn("workloadIdentity.remove")(function* (issuerId: string) {
  const removed = yield* (yield* WorkloadIssuers).remove(issuerId)
  return removed === undefined ? yield* NotFound.workloadIssuer(issuerId) : yield* ended(removed)
})

/** Other processes are notified; this one drops its cached records at once. */
const ended = (issuer: WorkloadIssuer) =>
  Effect.flatMap(Records, (_) => Effect.as(_.forgetProject(issuer.project_id), toWire(issuer)))

const fetchable = Effect.fnUntraced(function* (addresses: Partial<Pick<WorkloadIssuer, "discovery_url" | "jwks_uri">>) {
  const endpoints = yield* KeyEndpoints
  for (const field of ["discovery_url", "jwks_uri"] as const) {
    const address = addresses[field]
    // With a pinned key set the discovery document is never fetched.
    if (address == null || (field === "discovery_url" && addresses.jwks_uri != null)) continue
    const refusal = endpoints.refusal(address)
    if (refusal !== undefined) return yield* Unprocessable.issuerEndpoint(field, refusal)
  }
})

const toWire = ({ changed_at, created_at, revision: _, ...issuer }: WorkloadIssuer): WorkloadIssuerRow => ({
  ...issuer,
  created_at: DateTime.formatIso(created_at),
  changed_at: DateTime.formatIso(changed_at)
})
