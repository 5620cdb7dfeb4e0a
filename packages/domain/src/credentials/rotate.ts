import type { Caller, CallerTenant } from "@portico/contract/Access"
import type { Rotated, RotateRequest } from "@portico/contract/Credentials"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Rotations } from "@portico/store/Rotations"
import { Tenants } from "@portico/store/Tenants"
import { Clock, Duration, Effect, Redacted } from "effect"
import { liesWithin } from "../access/networks.ts"
import { Records } from "../access/Records.ts"
import { badGateway } from "../badGateway.ts"
import { unlessRemoved } from "../org/unlessRemoved.ts"
import { entryOf, stateOf } from "./entry.ts"
import { withMachineUser } from "./makeUser.ts"
import { newUser } from "./mint.ts"
import { ended } from "./revoke.ts"
import { createdOf, rotatedOf, together } from "./told.ts"

/**
 * Replaces a credential: a successor is minted with the same kind, tier,
 * label, networks, unit and expiry, and both work until the overlap is over;
 * then the old one is revoked by {@link sweepRotations}, and has not worked a
 * moment longer, whenever that comes. Until the successor is complete nothing
 * is changed, and what cuts the rotation short leaves nothing.
 *
 * Errors: the same 404 for an unknown id and another tenant's; 403 for a tier
 * above the caller's, and for a credential that reaches further than the
 * caller; 409 for one that is revoked, expired, suspended, or replaced
 * already, and while what it replaced still works; 502 with the identity
 * provider's words.
 */
export const rotate = Effect.fn("credentials.rotate")(function* (
  caller: Caller,
  tenant: CallerTenant,
  credentialId: string,
  { overlap_seconds }: RotateRequest
) {
  const old = yield* (yield* Credentials).find(credentialId)
  if (old === undefined || !isTenants(tenant, old)) return yield* NotFound.credential(credentialId)
  if (old.tier > caller.tier) return yield* Forbidden.actionNeedsTier(old.tier, caller.tier)
  if (reachesFurther(old, caller)) return yield* Forbidden.credentialBeyondOwn()

  const rotations = yield* Rotations
  const held = yield* (yield* Tenants).find(tenant.projectId)
  const row = yield* rotations.begin({
    ...newUser(held?.slug),
    project_id: old.project_id,
    kind: old.kind,
    tier: old.tier,
    label: old.label,
    state: "minting",
    pat_hash: null,
    created_by: caller.userId,
    networks: old.networks,
    ou: old.ou,
    expires_at: old.expires_at,
    rotates: old.credential_id
  })
  if (row === undefined) return yield* refusal(credentialId)
  yield* unlessRemoved(caller, row)

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
  yield* (yield* Records).forget(predecessor.user_id)
  // What fails here is done by the sweep; it works for nobody in any case.
  const last = overlap_seconds === 0 ? yield* Effect.orElseSucceed(ended(predecessor), () => predecessor) : predecessor
  return {
    ...(yield* entryOf(successor)),
    client_secret: Redacted.value(secret),
    pat: Redacted.value(pat),
    predecessor: yield* entryOf(last ?? predecessor)
  } satisfies Rotated
})

/** Revokes credentials whose overlap is over. Every replica runs it; each goes to one. */
export const sweepRotations = Effect.gen(function* () {
  const overdue = yield* (yield* Rotations).claimOverdue
  yield* Effect.forEach(overdue, (row) => Effect.ignore(ended(row), { log: "Warn" }), { concurrency: 4, discard: true })
}).pipe(Effect.withSpan("credentials.sweepRotations"))

/** A membership has no secrets; a mint that still runs has no id yet. */
const isTenants = ({ projectId }: CallerTenant, { kind, project_id, state }: CredentialRow): boolean =>
  project_id === projectId && kind !== "member" && state !== "minting"

/** Whoever rotates gets the secrets. */
const reachesFurther = ({ networks, ou }: CredentialRow, caller: Caller): boolean =>
  (caller.networks !== undefined && (networks === null || !liesWithin(networks, caller.networks))) ||
  (caller.ou !== undefined && caller.denies !== undefined && !`${ou ?? ""}.`.startsWith(`${caller.ou}.`))

/** Why a credential cannot be replaced, as it is now. */
const refusal = Effect.fnUntraced(function* (credentialId: string) {
  const credentials = yield* Credentials
  const old = yield* credentials.find(credentialId)
  if (old === undefined) return yield* NotFound.credential(credentialId)
  const state = stateOf(old, yield* Clock.currentTimeMillis)
  if (state !== "active") return yield* Conflict.credentialNotActive(credentialId, state)
  if (old.rotated_to !== null) return yield* Conflict.credentialRotated(credentialId, old.rotated_to)
  const before = old.rotates === null ? undefined : yield* credentials.find(old.rotates)
  if (before !== undefined && stateOf(before, yield* Clock.currentTimeMillis) !== "revoked") {
    return yield* Conflict.predecessorLives(credentialId, before.credential_id)
  }
  return yield* Conflict.rotationInProgress(credentialId)
})
