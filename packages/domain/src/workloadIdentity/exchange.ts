import type { Caller } from "@portico/contract/Access"
import { Conflict, Forbidden, Unauthorized } from "@portico/contract/Failures"
import type { TokenExchangeRequest, TokenExchangeResponse } from "@portico/contract/WorkloadIdentity"
import { Tenants } from "@portico/store/Tenants"
import { type WorkloadIssuer, WorkloadIssuers } from "@portico/store/WorkloadIssuers"
import { WorkloadTokens } from "@portico/store/WorkloadTokens"
import { Duration, Effect, Redacted } from "effect"
import { newIssuedToken } from "../access/Issued.ts"
import { hashOf } from "../access/PresentedToken.ts"
import { claimedIssuer, verifiedSubject } from "./verify.ts"

/** The contract's, and not to be moved: clients rely on `expires_in`. */
const lifetime = Duration.hours(1)

/**
 * A Bearer of one hour for a service account's token: with the tenant and tier
 * of the mapping of its issuer. The mapping is looked up by the issuer's exact
 * name before anything is fetched, so a token cannot make the gateway call
 * anybody; a mapping that is changed meanwhile gives nothing.
 *
 * Errors: 401 in the same words, whatever is wrong with the token; the same
 * 403 for an issuer without a mapping, a disabled one and another tenant's;
 * 409 while the tenant is being deleted or closed; 503 when the issuer's keys
 * cannot be fetched.
 */
export const exchange = Effect.fn("workloadIdentity.exchange")(function* (
  caller: Caller,
  { subject_token: token }: TokenExchangeRequest
) {
  const claimed = claimedIssuer(token)
  if (claimed === undefined) return yield* Unauthorized.subjectToken()
  const issuer = yield* (yield* WorkloadIssuers).findByIssuer(claimed)
  if (issuer === undefined || !issuer.enabled || !actsFor(caller, issuer)) return yield* Forbidden.issuerUnmapped()
  const { subject } = yield* verifiedSubject(token, issuer)

  const tenant = yield* (yield* Tenants).find(issuer.project_id)
  if (tenant === undefined) return yield* Forbidden.issuerUnmapped()
  if (tenant.closing.length > 0) return yield* Conflict.closing()

  const minted = newIssuedToken()
  const issued = yield* (yield* WorkloadTokens).issue({
    hash: hashOf(minted),
    issuerId: issuer.issuer_id,
    revision: issuer.revision,
    subject,
    lifetime
  })
  if (issued === undefined) return yield* Forbidden.issuerUnmapped()
  return {
    access_token: Redacted.value(minted),
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    expires_in: 3600
  } satisfies TokenExchangeResponse
})

/** Removes the tokens that have ended. Every replica runs it. */
export const sweepTokens = Effect.asVoid(Effect.flatMap(WorkloadTokens, (_) => _.prune)).pipe(
  Effect.withSpan("workloadIdentity.sweep")
)

const actsFor = ({ admin, tenant }: Caller, { project_id }: WorkloadIssuer): boolean =>
  admin || tenant?.projectId === project_id
