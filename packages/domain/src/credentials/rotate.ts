import type { Caller, CallerTenant } from "@portico/contract/Access"
import type { Rotated, RotateRequest } from "@portico/contract/Credentials"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { type CredentialRow, Credentials, type DerivedRow } from "@portico/store/Credentials"
import { Rotations } from "@portico/store/Rotations"
import { Tenants } from "@portico/store/Tenants"
import { WorkloadTokens } from "@portico/store/WorkloadTokens"
import { Clock, DateTime, Duration, Effect, Redacted } from "effect"
import { boundsOfRow, endOf } from "../access/bounds.ts"
import { liesWithin } from "../access/networks.ts"
import { Records } from "../access/Records.ts"
import { unlessEnded } from "../access/unlessEnded.ts"
import { badGateway } from "../badGateway.ts"
import { reconcile } from "../work/reconcile.ts"
import { denied } from "../access/limits.ts"
import { toWireWithMakers, stateOf } from "./list.ts"
import { withMachineUser } from "./makeUser.ts"
import { newUser } from "./mint.ts"
import { beyond, beyondAgent } from "./mintable.ts"
import { ended } from "./revoke.ts"
import { createdOf, rotatedOf, withEvents } from "./events.ts"

/**
 * Replaces a credential. A successor is minted with the same kind, tier, label, networks, unit and
 * expiry. Both credentials work until the overlap ends; {@link sweepRotations} then revokes the old
 * one. The old one stops working at the end of the overlap, however late the sweep runs. Nothing
 * changes until the successor is complete, and an interrupted rotation leaves nothing behind.
 *
 * A caller may rotate all of its own credentials, which are itself and those that it made; the
 * successor keeps the predecessor's makers. Rotating any other credential counts as a mint and as
 * the end of that credential.
 *
 * Errors: 404 alike for an unknown id and another tenant's; 403 for a tier above the caller's, and
 * for a credential that is not the caller's own when the caller is below tier 2, or when the caller
 * may not mint it or comes from it; 409 for a credential that is revoked, expired, suspended or already replaced,
 * and while its own predecessor still works; 502 with the identity provider's message.
 */
export const rotate = Effect.fn("credentials.rotate")(function* (
  caller: Caller,
  tenant: CallerTenant,
  credentialId: string,
  { overlap_seconds }: RotateRequest
) {
  const credentials = yield* Credentials
  const old = yield* credentials.derived({ id: credentialId }, tenant.projectId)
  if (old === undefined || !isShown(old)) return yield* NotFound.credential(credentialId)
  const own = isOwn(caller, old)
  const now = yield* DateTime.now
  const refused = own ? beyondOwn(caller, old, now) : (endsAnothers(caller) ?? beyondMint(caller, old, now))
  if (refused !== undefined) return yield* refused
  if (!own && (yield* comesFrom(caller, old))) return yield* Forbidden.credentialAboveCaller()
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
    rotates: old.credential_id,
    // An own credential keeps its maker and its stored rights; any other is limited to its current rights, and the
    // caller becomes its maker.
    rights: own ? "predecessor's" : { ...derivedOf(old), made_by: caller.recordId ?? null }
  })
  if (row === undefined) return yield* refusal(credentialId)
  yield* unlessEnded(caller, credentials.remove(row.credential_id))

  const complete = (patHash: string) =>
    withEvents(rotations.complete(row.credential_id, patHash, Duration.seconds(overlap_seconds)), (_) =>
      _ === undefined ? [] : [createdOf(_.successor), rotatedOf(_.predecessor)]
    )
  const { completed, pat, secret } = yield* Effect.catchTag(
    withMachineUser(row, complete, refusal(credentialId)),
    ["UpstreamError", "Taken"],
    badGateway
  )
  const { predecessor, successor } = completed
  yield* (yield* Records).forgetMaker(predecessor)
  // The sweep retries a failure; the credential no longer works in any case.
  const last = overlap_seconds === 0 ? yield* Effect.orElseSucceed(ended(predecessor), () => predecessor) : predecessor
  return {
    ...(yield* toWireWithMakers(successor)),
    client_secret: Redacted.value(secret),
    pat: Redacted.value(pat),
    predecessor: yield* toWireWithMakers(last ?? predecessor)
  } satisfies Rotated
})

/**
 * Revokes credentials whose overlap is over, and those whose maker was revoked. Every replica runs
 * it; each credential goes to one replica.
 */
export const sweepRotations = Effect.gen(function* () {
  yield* reconcile({
    what: "a credential that ends",
    claim: (yield* Rotations).claimOverdue,
    concurrency: 4,
    step: ended
  })
}).pipe(Effect.withSpan("credentials.sweepRotations"))

/** A membership has no secrets, and a mint in progress has no published id yet. */
const isShown = ({ kind, state }: CredentialRow): boolean => kind !== "member" && state !== "minting"

/**
 * A caller's own credentials are itself and those that it made, directly or through others. A
 * person owns the keys that the person made. A key owns those below it, but not those that the same
 * person made beside it. A caller without a record owns those that it created.
 */
const isOwn = ({ recordId, userId }: Caller, old: DerivedRow): boolean =>
  recordId === undefined
    ? old.made_by === null && old.created_by === userId
    : old.credential_id === recordId || old.makers.some((_) => _.id === recordId)

/**
 * The credential is below the caller already, but a policy may since have lowered the caller's tier
 * or bound it to a unit; and an agent may act with a key, or with the token of a key's maker.
 */
const beyondOwn = (caller: Caller, old: DerivedRow, now: DateTime.Utc) => {
  const { expires_at: endsAt, kind, tier } = derivedOf(old)
  if (tier > caller.tier) return Forbidden.tierTooLow(undefined, tier, caller.tier)
  if (reachesFurther(old, caller)) return Forbidden.credentialBeyondOwn()
  // An agent's own successor is bound as the agent is.
  const isItself = old.credential_id === caller.recordId && kind === "mcp"
  return isItself ? undefined : beyondAgent(caller, { kind, tier, endsAt }, now)
}

/**
 * Whether the credential is among the caller's makers. What it made passes to its own maker when another one rotates it,
 * so the caller would lose the maker that bounds it, and with which it ends.
 */
const comesFrom = Effect.fnUntraced(function* ({ recordId }: Caller, old: DerivedRow) {
  if (recordId === undefined) return false
  const own = (yield* (yield* Credentials).derived({ id: recordId })) ?? (yield* (yield* WorkloadTokens).find(recordId))
  return own?.makers.some((_) => _.id === old.credential_id) === true
})

/** Ending another's credential is a destructive act, however long the overlap is. */
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

/** The effective rights of a credential, with all its makers. */
const derivedOf = (old: DerivedRow) => {
  const { agent, tier } = boundsOfRow(old)
  return { kind: agent ? "mcp" : "api-key", tier, expires_at: endOf(old.expires_at, old.makers) } as const
}

const reachesFurther = ({ networks, ou }: DerivedRow, caller: Caller): boolean =>
  (caller.networks !== undefined && (networks === null || !liesWithin(networks, caller.networks))) ||
  (caller.ou !== undefined && caller.denies !== undefined && !`${ou ?? ""}.`.startsWith(`${caller.ou}.`))

/** Why a credential cannot be replaced in its current state. */
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
