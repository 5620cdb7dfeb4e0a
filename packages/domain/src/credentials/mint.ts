import type { Caller, CallerTenant } from "@portico/contract/Access"
import type { Minted, MintRequest } from "@portico/contract/Credentials"
import { Conflict, Forbidden } from "@portico/contract/Failures"
import { tiers } from "@portico/contract/Tiers"
import { type CredentialRow, Credentials } from "@portico/store/Credentials"
import { Tenants } from "@portico/store/Tenants"
import { Taken, UpstreamError } from "@portico/upstream/UpstreamError"
import { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { Cause, DateTime, Duration, Effect, Exit, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { badGateway } from "../badGateway.ts"
import { hashOf } from "../access/PresentedToken.ts"
import { entryOf } from "./entry.ts"
import { machineUserOf, tenantRole } from "./machineUser.ts"

/** Shorter than the lease of the record, so that nobody sweeps a mint that still runs. */
const timeLimit = Duration.seconds(60)

/**
 * Mints a credential for the caller's tenant: a machine user with a client
 * secret and a personal access token, both in the answer and nowhere else.
 *
 * The record is written first, as `minting`, and works for nobody until all is
 * there. Whatever cuts the mint short removes the user by its id and stamp,
 * and then the record. When a call of it may yet take effect, the record stays
 * until {@link sweepMints} has looked once more; a dead process leaves all of
 * it to that.
 *
 * Errors: 403 for a tier above the caller's; 409 when the allowance is used
 * up; 502 with the identity provider's words.
 */
export const mint = Effect.fn("credentials.mint")(function* (
  caller: Caller,
  tenant: CallerTenant,
  request: MintRequest
) {
  if (request.tier > caller.tier) return yield* Forbidden.actionNeedsTier(request.tier, caller.tier)
  const credentials = yield* Credentials
  const row = yield* newRecord(caller, tenant, request)

  return yield* Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const exit = yield* Effect.exit(
        restore(Effect.timeoutOrElse(makeUser(row), { duration: timeLimit, orElse: late }))
      )
      const minted = Exit.isSuccess(exit)
        ? yield* credentials.activate(row.credential_id, exit.value.patHash)
        : undefined
      if (Exit.isSuccess(exit) && minted !== undefined) {
        const { pat, secret } = exit.value
        return {
          ...(yield* entryOf(minted)),
          client_secret: Redacted.value(secret),
          pat: Redacted.value(pat)
        } satisfies Minted
      }
      yield* Effect.ignore(unsettled(exit) ? removeUser(row) : removeMint(row), { log: "Warn" })
      return yield* Exit.isFailure(exit) ? Effect.failCause(exit.cause) : late()
    })
  ).pipe(Effect.catchTag(["UpstreamError", "Taken"], badGateway))
})

/** Removes what mints left that were cut short. Every replica runs it. */
export const sweepMints = Effect.gen(function* () {
  const abandoned = yield* (yield* Credentials).claimAbandonedMints
  yield* Effect.forEach(abandoned, (row) => Effect.ignore(removeMint(row), { log: "Warn" }), { discard: true })
}).pipe(Effect.withSpan("credentials.sweepMints"))

const newRecord = Effect.fnUntraced(function* (caller: Caller, tenant: CallerTenant, request: MintRequest) {
  const credentials = yield* Credentials
  const held = yield* (yield* Tenants).find(tenant.projectId)
  const attempt = { id: randomUUID(), slug: held?.slug ?? "tenant", stamp: "" }
  const user = machineUserOf(attempt)
  const now = yield* DateTime.now
  const allowance = tiers[held?.tier ?? "discovery"].credentials
  const row = yield* credentials.insertWithin(
    {
      credential_id: user.credentialId,
      project_id: tenant.projectId,
      user_id: user.userId,
      kind: request.kind,
      tier: request.tier,
      label: request.label,
      state: "minting",
      client_id: user.userName,
      pat_hash: null,
      created_by: caller.userId,
      expires_at:
        request.expires_in_days === undefined ? null : DateTime.addDuration(now, Duration.days(request.expires_in_days))
    },
    allowance
  )
  if (row !== undefined) return row
  return yield* Conflict.credentialAllowance(yield* credentials.countLive(tenant.projectId), allowance)
})

/** The stamp by which the user of a mint is known to be ours. */
const stampOf = (row: CredentialRow): string => `portico-credential:${row.credential_id}`

const makeUser = Effect.fnUntraced(function* (row: CredentialRow) {
  const zitadel = yield* Zitadel
  yield* zitadel.createMachineUser({
    userId: row.user_id,
    userName: row.client_id,
    name: row.label,
    stamp: stampOf(row)
  })
  const [, secret, pat] = yield* Effect.all(
    [
      zitadel.grantRole(row.user_id, tenantRole),
      zitadel.createSecret(row.user_id),
      zitadel.createToken(row.user_id, row.expires_at ?? undefined)
    ],
    { concurrency: "unbounded" }
  )
  return { secret, pat, patHash: hashOf(pat) }
})

/** Whether a call was given up or cut off, so that nobody knows what becomes of it. */
const unsettled = (exit: Exit.Exit<unknown, UpstreamError | Taken>): boolean => {
  if (Exit.isSuccess(exit)) return false
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return error === undefined || (error._tag === "UpstreamError" && error.unsettled)
}

const removeUser = (row: CredentialRow) => Effect.flatMap(Zitadel, (_) => _.removeUser(row.user_id, stampOf(row)))

const removeMint = Effect.fnUntraced(function* (row: CredentialRow) {
  yield* removeUser(row)
  yield* (yield* Credentials).remove(row.credential_id)
})

const late = (): Effect.Effect<never, UpstreamError | Taken> =>
  Effect.fail(
    new UpstreamError({
      upstream: "zitadel",
      call: "mint",
      status: null,
      words: `not done within ${Duration.format(timeLimit)}`
    })
  )
