import type { Caller, CallerTenant } from "@portico/contract/Access"
import type { Minted, MintRequest } from "@portico/contract/Credentials"
import { Conflict, Forbidden } from "@portico/contract/Failures"
import { tiers } from "@portico/contract/Tiers"
import { Credentials } from "@portico/store/Credentials"
import { Tenants } from "@portico/store/Tenants"
import { DateTime, Duration, Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { liesWithin } from "../access/networks.ts"
import { badGateway } from "../badGateway.ts"
import { unlessRemoved } from "../org/unlessRemoved.ts"
import { entryOf } from "./entry.ts"
import { machineUserOf } from "./machineUser.ts"
import { late, removeMint, withMachineUser } from "./makeUser.ts"
import { createdOf, together } from "./told.ts"

/**
 * Mints a credential for the caller's tenant: a machine user with a client
 * secret and a personal access token, both in the answer and nowhere else.
 *
 * The record is written first, as `minting`, and works for nobody until all is
 * there. What cuts the mint short leaves nothing, see {@link withMachineUser}.
 * What limits the caller, limits what it mints.
 *
 * Errors: 403 for a tier above the caller's, and for networks outside the
 * caller's; 409 when the allowance is used up; 502 with the identity
 * provider's words.
 */
export const mint = Effect.fn("credentials.mint")(function* (
  caller: Caller,
  tenant: CallerTenant,
  request: MintRequest
) {
  if (request.tier > caller.tier) return yield* Forbidden.actionNeedsTier(request.tier, caller.tier)
  const row = yield* newRecord(caller, tenant, request)
  yield* unlessRemoved(caller, row)
  const credentials = yield* Credentials
  const activate = (patHash: string) =>
    together(credentials.activate(row.credential_id, patHash), (_) => (_ === undefined ? [] : [createdOf(_)]))
  const { completed, pat, secret } = yield* Effect.catchTag(
    withMachineUser(row, activate, late),
    ["UpstreamError", "Taken"],
    badGateway
  )
  return {
    ...(yield* entryOf(completed)),
    client_secret: Redacted.value(secret),
    pat: Redacted.value(pat)
  } satisfies Minted
})

/** Removes what mints and rotations left that were cut short. Every replica runs it. */
export const sweepMints = Effect.gen(function* () {
  const abandoned = yield* (yield* Credentials).claimAbandonedMints
  yield* Effect.forEach(abandoned, (row) => Effect.ignore(removeMint(row), { log: "Warn" }), { discard: true })
}).pipe(Effect.withSpan("credentials.sweepMints"))

/** A new machine user of a tenant, as its record has it. */
export const newUser = (slug: string | undefined) => {
  const user = machineUserOf({ id: randomUUID(), slug: slug ?? "tenant", stamp: "" })
  return { credential_id: user.credentialId, user_id: user.userId, client_id: user.userName }
}

const newRecord = Effect.fnUntraced(function* (caller: Caller, tenant: CallerTenant, request: MintRequest) {
  const networks = request.networks ?? caller.networks ?? null
  if (networks !== null && caller.networks !== undefined && !liesWithin(networks, caller.networks)) {
    return yield* Forbidden.credentialBeyondOwn()
  }
  const credentials = yield* Credentials
  const held = yield* (yield* Tenants).find(tenant.projectId)
  const now = yield* DateTime.now
  const allowance = tiers[held?.tier ?? "discovery"].credentials
  const row = yield* credentials.insertWithin(
    {
      ...newUser(held?.slug),
      project_id: tenant.projectId,
      kind: request.kind,
      tier: request.tier,
      label: request.label,
      state: "minting",
      pat_hash: null,
      created_by: caller.userId,
      networks,
      // What a policy denies to the creator, it denies to what is created.
      ou: caller.ou ?? null,
      expires_at:
        request.expires_in_days === undefined ? null : DateTime.addDuration(now, Duration.days(request.expires_in_days))
    },
    allowance
  )
  if (row !== undefined) return row
  return yield* Conflict.credentialAllowance(yield* credentials.countLive(tenant.projectId), allowance)
})
