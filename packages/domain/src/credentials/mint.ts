import type { Caller, CallerTenant } from "@portico/contract/Access"
import type { Minted, MintRequest } from "@portico/contract/Credentials"
import { Conflict } from "@portico/contract/Failures"
import { tiers } from "@portico/contract/Tiers"
import { Credentials } from "@portico/store/Credentials"
import { longestChain } from "@portico/store/makers"
import { Tenants } from "@portico/store/Tenants"
import { DateTime, Duration, Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { unlessEnded } from "../access/unlessEnded.ts"
import { badGateway } from "../badGateway.ts"
import { reconcile } from "../work/reconcile.ts"
import { toWireWithMakers } from "./list.ts"
import { machineUserOf } from "./machineUser.ts"
import { late, removeMint, withMachineUser } from "./makeUser.ts"
import { beyond, defaultEnd, isTooDeep } from "./mintable.ts"
import { createdOf, withEvents } from "./events.ts"

/**
 * Mints a credential for the caller's tenant: a machine user with a client secret and a personal
 * access token. Both are in the response and are stored nowhere.
 *
 * The record is stored first, as `minting`, and is not valid until the mint is complete. An
 * interrupted mint leaves nothing behind, see {@link withMachineUser}. The caller's limits also
 * limit the new credential: it ends with the caller at the latest, and the caller is its maker.
 *
 * Errors: 403 for a tier above the caller's, for networks outside the caller's, for an expiry after
 * the caller's own, and for a credential that agents may not mint; 409 when the allowance is used
 * up, or the chain of makers is too long; 502 with the identity provider's message.
 */
export const mint = Effect.fn("credentials.mint")(function* (
  caller: Caller,
  tenant: CallerTenant,
  request: MintRequest
) {
  const row = yield* newRecord(caller, tenant, request)
  const credentials = yield* Credentials
  yield* unlessEnded(caller, credentials.remove(row.credential_id))
  const activate = (patHash: string) =>
    withEvents(credentials.activate(row.credential_id, patHash), (_) => (_ === undefined ? [] : [createdOf(_)]))
  const { completed, pat, secret } = yield* Effect.catchTag(
    withMachineUser(row, activate, late),
    ["UpstreamError", "Taken"],
    badGateway
  )
  return {
    ...(yield* toWireWithMakers(completed)),
    client_secret: Redacted.value(secret),
    pat: Redacted.value(pat)
  } satisfies Minted
})

/** Removes what interrupted mints and rotations left behind. Any replica may run it. */
export const sweepMints = Effect.gen(function* () {
  yield* reconcile({ what: "a mint", claim: (yield* Credentials).claimAbandonedMints, step: removeMint })
}).pipe(Effect.withSpan("credentials.sweepMints"))

/** The identifiers of a new machine user of a tenant. */
export const newUser = (slug: string | undefined) => {
  const user = machineUserOf({ id: randomUUID(), slug: slug ?? "tenant", stamp: "" })
  return { credential_id: user.credentialId, user_id: user.userId, client_id: user.userName }
}

const newRecord = Effect.fnUntraced(function* (caller: Caller, tenant: CallerTenant, request: MintRequest) {
  const now = yield* DateTime.now
  const networks = request.networks ?? caller.networks ?? null
  const { expires_in_days: days, kind, label, tier } = request
  const expires_at = days === undefined ? defaultEnd(caller, now) : DateTime.addDuration(now, Duration.days(days))
  const refusal = beyond(caller, { kind, tier, networks, endsAt: expires_at }, now)
  if (refusal !== undefined) return yield* refusal
  const credentials = yield* Credentials
  const held = yield* (yield* Tenants).find(tenant.projectId)
  const allowance = tiers[held?.tier ?? "discovery"].credentials
  const row = yield* credentials.insertWithin(
    {
      ...newUser(held?.slug),
      project_id: tenant.projectId,
      kind,
      tier,
      label,
      state: "minting",
      pat_hash: null,
      created_by: caller.userId,
      made_by: caller.recordId ?? null,
      networks,
      // A policy of the creator's unit also applies to the new credential.
      ou: caller.ou ?? null,
      expires_at
    },
    allowance
  )
  if (row === undefined) {
    return yield* Conflict.credentialAllowance(yield* credentials.countLive(tenant.projectId), allowance)
  }
  const derived = yield* credentials.derived({ id: row.credential_id })
  if (derived === undefined || !isTooDeep(derived.makers)) return row
  yield* credentials.remove(row.credential_id)
  return yield* Conflict.credentialChain(longestChain)
})
