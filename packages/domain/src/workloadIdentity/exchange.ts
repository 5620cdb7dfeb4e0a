import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden, Unauthorized } from "@portico/contract/Failures"
import type { TokenExchangeRequest, TokenExchangeResponse } from "@portico/contract/WorkloadIdentity"
import { Tenants } from "@portico/store/Tenants"
import { WorkloadIssuers } from "@portico/store/WorkloadIssuers"
import { WorkloadTokens } from "@portico/store/WorkloadTokens"
import { longestChain } from "@portico/store/makers"
import { DateTime, Duration, Effect, Redacted } from "effect"
import { hashOf } from "../access/PresentedToken.ts"
import { projectOf } from "../access/reach.ts"
import { newIssuedToken } from "../access/Issued.ts"
import { unlessEnded } from "../access/unlessEnded.ts"
import { isTooDeep } from "../credentials/mintable.ts"
import { claimedIssuer, verifiedSubject } from "./verify.ts"

/** The contract's lifetime. A token ends earlier only with the caller that exchanges for it. */
export const lifetime = Duration.hours(1)

/**
 * A Bearer of one hour for a service account's token. It has the tenant and the
 * tier of the issuer's mapping, but never more than the caller has: the caller
 * is its maker, and bounds its tier, networks, unit, access to costs and end.
 * An administrator bounds nothing.
 *
 * The mapping is looked up by the issuer's exact name before anything is
 * fetched, so a token cannot make the gateway call an arbitrary address. A
 * mapping that is changed meanwhile issues nothing.
 *
 * Errors: the same 401 whatever is wrong with the token; the same 403 for an
 * issuer without a mapping, a disabled one and another tenant's; 409 while the
 * tenant is being deleted or closed, and when the chain of makers would become
 * too long; 503 when the issuer's keys cannot be fetched.
 */
export const exchange = Effect.fn("workloadIdentity.exchange")(function* (
  caller: Caller,
  { subject_token: token }: TokenExchangeRequest
) {
  const claimed = claimedIssuer(token)
  if (claimed === undefined) return yield* Unauthorized.subjectToken()
  const issuer = yield* (yield* WorkloadIssuers).findByIssuer(claimed, projectOf(caller))
  if (issuer === undefined || !issuer.enabled) return yield* Forbidden.issuerUnmapped()
  const { subject } = yield* verifiedSubject(token, issuer)

  const tenant = yield* (yield* Tenants).find(issuer.project_id)
  if (tenant === undefined) return yield* Forbidden.issuerUnmapped()
  if (tenant.closing.length > 0) return yield* Conflict.closing()

  const tokens = yield* WorkloadTokens
  const minted = newIssuedToken()
  const hash = hashOf(minted)
  const issued = yield* tokens.issue({
    hash,
    issuerId: issuer.issuer_id,
    revision: issuer.revision,
    subject,
    madeBy: caller.recordId ?? null,
    endsBy: caller.expiresAt === undefined ? null : DateTime.makeUnsafe(caller.expiresAt),
    lifetime
  })
  if (issued === undefined) return yield* Forbidden.issuerUnmapped()
  yield* unlessEnded(caller, tokens.remove(hash))
  const live = yield* tokens.find(hash)
  if (live !== undefined && isTooDeep(live.makers)) {
    yield* tokens.remove(hash)
    return yield* Conflict.credentialChain(longestChain)
  }
  return {
    access_token: Redacted.value(minted),
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    expires_in: Math.floor(Duration.toSeconds(DateTime.distance(issued.issued_at, issued.expires_at)))
  } satisfies TokenExchangeResponse
})

/** Removes the tokens that have ended. Any replica may run it. */
export const sweepTokens = Effect.asVoid(Effect.flatMap(WorkloadTokens, (_) => _.prune)).pipe(
  Effect.withSpan("workloadIdentity.sweep")
)
