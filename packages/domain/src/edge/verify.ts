import type { ExposureVerified } from "@portico/contract/Edge"
import { Conflict, Unprocessable } from "@portico/contract/Failures"
import { type ExposureEntry, Exposures } from "@portico/store/Exposures"
import { DateTime, Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { notSuspended } from "../ceilings/tenantTier.ts"
import { RunToCompletion } from "../RunToCompletion.ts"
import { alone, busy, reconcileExposure, routeAmong } from "./exposure.ts"
import { proofsOf } from "./domains.ts"
import { EdgeSettings } from "./EdgeSettings.ts"
import { ownExposure, shown } from "./list.ts"
import { challengeName, exposureOf } from "./view.ts"

/**
 * Looks whether the domain of an exposure is proved, and routes it when it is.
 * The answer is the same 200 when it is not: with what was found, but for the
 * records of others, of which only the number is told. A domain that is
 * verified already is not looked for again, and is routed again.
 *
 * Of two tenants who prove a name the first has it, as long as its own record
 * is there: who lets that go, a domain that was sold for example, loses the
 * name to who proves it next.
 *
 * Errors: 403 in a suspended tenant, unless it is verified already; 404; 409 when another tenant has proved it; 422 without a domain;
 * 502 when the name servers fail, or the cluster, and then the domain is
 * verified and the same call routes it.
 */
export const verifyExposure = Effect.fn("edge.verify")(function* (projectId: string, id: string) {
  const verify = Effect.gen(function* () {
    const entry = yield* ownExposure(projectId, id)
    const { challenge, domain } = entry
    if (domain === null) return yield* Unprocessable.exposureWithoutDomain(id)
    // On its way out, and the domain is another one's.
    if (challenge === null || entry.removing !== null) return yield* busy()
    // What is verified is routed already, and that is repaired.
    if (entry.verified_at === null) yield* notSuspended(projectId)
    const check = entry.verified_at === null ? yield* looked(entry, domain, challenge) : null
    if (check?.proved === false) return { ...(yield* shown(entry)), check } satisfies ExposureVerified
    return { ...(yield* alone(projectId)(routed(projectId, id))), check } satisfies ExposureVerified
  })
  return yield* (yield* RunToCompletion).run(verify)
})

const looked = Effect.fnUntraced(function* (entry: ExposureEntry, domain: string, challenge: string) {
  const proofs = yield* Effect.catchTag(proofsOf(domain), "UpstreamError", badGateway)
  const proved = proofs.includes(challenge)
  if (proved) yield* taken(entry, domain, proofs)
  return {
    name: challengeName(domain),
    records: proofs.length,
    proved,
    checked_at: DateTime.formatIso(yield* DateTime.now)
  }
})

/** The name is the tenant's from here on; whoever had it before has no route with it a moment later. */
const taken = Effect.fnUntraced(function* (entry: ExposureEntry, domain: string, proofs: ReadonlyArray<string>) {
  const exposures = yield* Exposures
  const other = yield* exposures.challengeOfOther(domain, entry.project_id)
  const outcome = yield* exposures.prove(entry, other === undefined || proofs.includes(other) ? undefined : other)
  if (outcome === "claimed") return yield* Conflict.domainClaimed()
  if (outcome === "gone") return yield* busy()
  const { displaced } = outcome
  if (displaced === undefined) return
  // The job does it otherwise, and is due already.
  yield* Effect.ignore(alone(displaced.project_id)(reconcileExposure(displaced.exposure_id)), { log: "Warn" })
})

const routed = Effect.fnUntraced(function* (projectId: string, id: string) {
  const made = yield* Effect.catchTag(reconcileExposure(id), "UpstreamError", badGateway)
  return exposureOf(yield* ownExposure(projectId, id), routeAmong(made), yield* EdgeSettings)
})
