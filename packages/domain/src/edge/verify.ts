import type { ExposureVerified } from "@portico/contract/Edge"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import { type ExposureEntry, Exposures } from "@portico/store/Exposures"
import { DateTime, Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { notSuspended } from "../limits/tenantTier.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { busy, reconcileExposure, routeAmong, underTenantLease } from "./exposure.ts"
import { proofsOf } from "./domains.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { challengeName, ownExposure, shown, toWire } from "./list.ts"

/**
 * Checks whether the domain of an exposure is proved, and routes it when it is. An unproved domain
 * is a 200 as well, with the result of the check; of foreign records only the number is shown. A
 * verified domain is not checked again, but it is routed again.
 *
 * When two tenants prove a name, the first keeps it as long as its record exists. A tenant that
 * drops its record, for example after selling the domain, loses the name to the next tenant that
 * proves it.
 *
 * Errors: 403 in a suspended tenant, unless the domain is verified already; 404; 409 when another
 * tenant has proved it; 422 without a domain; 502 when the name servers or the cluster fail. When
 * the cluster fails, the domain is verified already, and the same call routes it.
 */
export const verifyExposure = Effect.fn("edge.verify")(function* (projectId: string, id: string) {
  const verify = Effect.gen(function* () {
    const entry = yield* ownExposure(projectId, id)
    const { challenge, domain } = entry
    if (domain === null) return yield* Unprocessable.exposureWithoutDomain(id)
    // The exposure is being removed, or another exposure has the domain.
    if (challenge === null || entry.removing !== null) return yield* busy()
    // A verified domain is routed already; the call only repairs it.
    if (entry.verified_at === null) yield* notSuspended(projectId)
    const check = entry.verified_at === null ? yield* checkProof(entry, domain, challenge) : null
    if (check?.proved === false) return { ...(yield* shown(entry)), check } satisfies ExposureVerified
    return { ...(yield* underTenantLease(projectId)(routeExposure(projectId, id))), check } satisfies ExposureVerified
  })
  return yield* (yield* RunToCompletion).run(verify)
})

const checkProof = Effect.fnUntraced(function* (entry: ExposureEntry, domain: string, challenge: string) {
  const proofs = yield* Effect.catchTag(proofsOf(domain), "UpstreamError", badGateway)
  const proved = proofs.includes(challenge)
  if (proved) yield* claimDomain(entry, domain, proofs)
  return {
    name: challengeName(domain),
    records: proofs.length,
    proved,
    checked_at: DateTime.formatIso(yield* DateTime.now)
  }
})

/** Assigns the name to the tenant; an exposure that had it before loses its route for it a moment later. */
const claimDomain = Effect.fnUntraced(function* (entry: ExposureEntry, domain: string, proofs: ReadonlyArray<string>) {
  const exposures = yield* Exposures
  const other = yield* exposures.challengeOfOther(domain, entry.project_id)
  const outcome = yield* exposures.prove(entry, other === undefined || proofs.includes(other) ? undefined : other)
  if (outcome === "claimed") return yield* Conflict.domainClaimed()
  if (outcome === "gone") return yield* busy()
  const { displaced } = outcome
  if (displaced === undefined) return
  // On a failure the job does it; the exposure is due already.
  yield* Effect.ignore(underTenantLease(displaced.project_id)(reconcileExposure(displaced.exposure_id)), {
    log: "Warn",
    message: "an exposure whose domain another tenant has proved could not be reconciled yet"
  })
})

const routeExposure = Effect.fnUntraced(function* (projectId: string, id: string) {
  const made = yield* Effect.catchTag(reconcileExposure(id), "UpstreamError", badGateway)
  return toWire(yield* ownExposure(projectId, id), routeAmong(made), yield* EdgeSettings)
})
