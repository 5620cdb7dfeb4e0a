import type { Caller, CallerTenant } from "@portico/contract/Access"
import type { Rotated, RotateRequest } from "@portico/contract/Credentials"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { type CredentialRow, Credentials, type DerivedRow } from "@portico/store/Credentials"
import { Rotations } from "@portico/store/Rotations"
import { Tenants } from "@portico/store/Tenants"
import { Clock, DateTime, Duration, Effect, Redacted } from "effect"
import { boundsOfRow, endOf } from "../access/bounds.ts"
import { liesWithin } from "../access/networks.ts"
import { Records } from "../access/Records.ts"
import { unlessEnded } from "../access/unlessEnded.ts"
import { badGateway } from "../badGateway.ts"
import { reconcile } from "../reconcile.ts"
import { denied } from "../access/limits.ts"
import { derivedEntry, stateOf } from "./entry.ts"
import { withMachineUser } from "./makeUser.ts"
import { newUser } from "./mint.ts"
import { beyond } from "./mintable.ts"
import { ended } from "./revoke.ts"
import { createdOf, rotatedOf, together } from "./told.ts"

/**
 * Replaces a credential: a successor is minted with the same kind, tier,
 * label, networks, unit and expiry, and both work until the overlap is over;
 * then the old one is revoked by {@link sweepRotations}, and has not worked a
 * moment longer, whenever that comes. Until the successor is complete nothing
 * is changed, and what cuts the rotation short leaves nothing.
 *
 * Of its own, which is itself and what it made, a caller rotates everything,
 * and the successor has the predecessor's makers. Of another's, it is a mint,
 * and the end of the other one's credential.
 *
 * Errors: the same 404 for an unknown id and another tenant's; 403 for a tier
 * above the caller's, and for another's below tier 2, or when it is more than
 * the caller may mint; 409 for one that is revoked, expired, suspended, or
 * replaced already, and while what it replaced still works; 502 with the
 * identity provider's words.
 */
export const rotate = Effect.fn("credentials.rotate")(function* (
  caller: Caller,
  tenant: CallerTenant,
  credentialId: string,
  { overlap_seconds }: RotateRequest
) {
  const credentials = yield* Credentials
  const old = yield* credentials.derived({ id: credentialId })
  if (old === undefined || !isTenants(tenant, old)) return yield* NotFound.credential(credentialId)
  const own = isOwn(caller, old)
  const now = yield* DateTime.now
  const refused = own ? beyondOwn(caller, old) : (endsAnothers(caller) ?? beyondMint(caller, old, now))
  if (refused !== undefined) return yield* refused
  if (stateOf(old, DateTime.toEpochMillis(now)) !== "active") return yield* refusal(credentialId)

  const rotations = yield* Rotations
  const held = yield* (yield* Tenants).find(tenant.projectId)
  const row = yield* rotations.begin({
    ...newUser(held?.slug),
    project_id: old.project_id,
    label: old.label,
    state: "minting",
    pat_hash: null,
    created_by: caller.userId,
    networks: old.networks,
    ou: old.ou,
    rotates: old.credential_id,
    // What its makers leave to it passes with them, or with the secrets to another maker.
    ...(own
      ? { kind: old.kind, tier: old.tier, expires_at: old.expires_at, made_by: old.made_by }
      : { ...derivedOf(old), made_by: caller.recordId ?? null })
  })
  if (row === undefined) return yield* refusal(credentialId)
  yield* unlessEnded(caller, credentials.remove(row.credential_id))

  const complete = (patHash: string) =>
    together(rotations.complete(row.credential_id, patHash, Duration.seconds(overlap_seconds)), (_) =>
      _ === undefined ? [] : [createdOf(_.successor), rotatedOf(_.predecessor)]
    )
  const { completed, pat, secret } = yield* Effect.catchTag(
    withMachineUser(row, complete, refusal(credentialId)),
    ["UpstreamError", "Taken"],
    badGateway
  )
  const { predecessor, successor } = completed
  yield* (yield* Records).forgetMaker(predecessor)
  // What fails here is done by the sweep; it works for nobody in any case.
  const last = overlap_seconds === 0 ? yield* Effect.orElseSucceed(ended(predecessor), () => predecessor) : predecessor
  return {
    ...(yield* derivedEntry(successor)),
    client_secret: Redacted.value(secret),
    pat: Redacted.value(pat),
    predecessor: yield* derivedEntry(last ?? predecessor)
  } satisfies Rotated
})

/** Revokes credentials whose overlap is over, and those whose maker was revoked. Every replica runs it; each goes to one. */
export const sweepRotations = Effect.gen(function* () {
  yield* reconcile({
    what: "a credential that ends",
    claim: (yield* Rotations).claimOverdue,
    concurrency: 4,
    step: ended
  })
}).pipe(Effect.withSpan("credentials.sweepRotations"))

/** A membership has no secrets; a mint that still runs has no id yet. */
const isTenants = ({ projectId }: CallerTenant, { kind, project_id, state }: CredentialRow): boolean =>
  project_id === projectId && kind !== "member" && state !== "minting"

/**
 * Its own is what a caller is, and what it made through however many others: a
 * person's are those of the keys that the person made, and of a key's those
 * below it, but not those that the same person made beside it. A caller
 * without a record made what it is the creator of.
 */
const isOwn = ({ recordId, userId }: Caller, old: DerivedRow): boolean =>
  recordId === undefined
    ? old.made_by === null && old.created_by === userId
    : old.credential_id === recordId || old.makers.some((_) => _.id === recordId)

/** It is below the caller already; but a policy may have lowered the caller, or bound it to a unit, since. */
const beyondOwn = (caller: Caller, old: DerivedRow) => {
  const { tier } = boundsOfRow(old)
  if (tier > caller.tier) return Forbidden.tierTooLow(undefined, tier, caller.tier)
  return reachesFurther(old, caller) ? Forbidden.credentialBeyondOwn() : undefined
}

/** What ends another's credential destroys, however long it goes on working. */
const endsAnothers = (caller: Caller) =>
  caller.tier < 2 ? Forbidden.tierTooLow(undefined, 2, caller.tier) : denied(caller, "credentials", 2)

const beyondMint = (caller: Caller, old: DerivedRow, now: DateTime.Utc) => {
  const { expires_at: endsAt, kind, tier } = derivedOf(old)
  const refused = beyond(caller, { kind, tier, networks: old.networks, endsAt }, now)
  if (refused !== undefined) return refused
  return reachesFurther(old, caller) || (boundsOfRow(old).billing && !caller.billing)
    ? Forbidden.credentialBeyondOwn()
    : undefined
}

/** What a credential really is, with all its makers. */
const derivedOf = (old: DerivedRow) => {
  const { agent, tier } = boundsOfRow(old)
  return { kind: agent ? "mcp" : "api-key", tier, expires_at: endOf(old.expires_at, old.makers) } as const
}

const reachesFurther = ({ networks, ou }: DerivedRow, caller: Caller): boolean =>
  (caller.networks !== undefined && (networks === null || !liesWithin(networks, caller.networks))) ||
  (caller.ou !== undefined && caller.denies !== undefined && !`${ou ?? ""}.`.startsWith(`${caller.ou}.`))

/** Why a credential cannot be replaced, as it is now. */
const refusal = Effect.fnUntraced(function* (credentialId: string) {
  const credentials = yield* Credentials
  const old = yield* credentials.derived({ id: credentialId })
  if (old === undefined) return yield* NotFound.credential(credentialId)
  const state = stateOf(old, yield* Clock.currentTimeMillis)
  if (state !== "active") return yield* Conflict.credentialNotActive(credentialId, state)
  if (old.rotated_to !== null) return yield* Conflict.credentialRotated(credentialId, old.rotated_to)
  const before = old.rotates === null ? undefined : yield* credentials.derived({ id: old.rotates })
  if (before !== undefined && stateOf(before, yield* Clock.currentTimeMillis) !== "revoked") {
    return yield* Conflict.predecessorLives(credentialId, before.credential_id)
  }
  return yield* Conflict.rotationInProgress(credentialId)
})
