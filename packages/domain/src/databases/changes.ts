import { Conflict, Unprocessable } from "@portico/contract/Failures"
import type { Tier } from "@portico/contract/Tiers"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { exclusively } from "../exclusively.ts"
import { limitNamespace } from "../kubernetes/ensureNamespace.ts"
import { RunToCompletion } from "../RunToCompletion.ts"
import { type Refusal, refusal } from "../refusal.ts"

/**
 * The lease for every operation that uses or changes the ceilings of a tenant's databases: one at a
 * time in a tenant.
 */
export const leaseOf = (projectId: string): string => `databases/${projectId}`

/**
 * Runs a change of a tenant's databases under the lease, and completes it even when the client
 * disconnects.
 *
 * Errors: 409 when the lease is not free in time, besides the change's own.
 */
export const changingDatabases = <A, E, R>(projectId: string, change: Effect.Effect<A, E, R>) =>
  Effect.flatMap(RunToCompletion, (_) =>
    _.run(exclusively(leaseOf(projectId), () => Conflict.concurrentChange("the databases of the tenant"))(change))
  )

/**
 * Maps an upstream's failure to the caller's, like {@link refusal}. Two of Kubernetes' 403s do not
 * concern the gateway's own rights: an operator's webhook rejects a request that can never succeed
 * (422), and a quota or a terminating namespace rejects one that conflicts with the current state
 * (409).
 */
export const refused = (error: UpstreamError): Refusal => {
  if (error.upstream !== "kubernetes" || error.status !== 403) return refusal(error)
  if (/^admission webhook .* denied the request/.test(error.words)) return Unprocessable.upstream(error.words)
  return /exceeded quota|is being terminated/.test(error.words) ? Conflict.upstream(error.words) : refusal(error)
}

/**
 * Sets the ceilings of a tenant's databases in Kubernetes to those of a tier, or to none; does
 * nothing for a tenant without databases. It waits for a running create, which may have read an
 * earlier tier and would set that tier's limits on its namespace.
 *
 * Errors: UpstreamError; without a status when the lease is not free in time.
 */
export const limitDatabases = Effect.fn("databases.limit")(function* (projectId: string, tier: Tier | "suspended") {
  yield* exclusively(leaseOf(projectId), busy)(limitNamespace(projectId, tier))
})

const busy = () =>
  new UpstreamError({
    upstream: "portico",
    call: "limitDatabases",
    status: null,
    words: "another change of the tenant's databases is under way"
  })
