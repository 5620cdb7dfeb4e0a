import { Conflict, Unprocessable } from "@portico/contract/Failures"
import type { Tier } from "@portico/contract/Tiers"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { exclusively } from "../exclusively.ts"
import { limitNamespace } from "../kubernetes/ensureNamespace.ts"
import { RunToCompletion } from "../RunToCompletion.ts"
import { type Refusal, refusal } from "../refusal.ts"

/** One at a time in a tenant: everything that draws on the ceilings of its databases, or changes them. */
export const leaseOf = (projectId: string): string => `databases/${projectId}`

/**
 * Runs a change of a tenant's databases while no other one runs, to its end
 * even when the caller hangs up.
 *
 * Errors: 409 when its turn does not come in time, beside the change's own.
 */
export const changingDatabases = <A, E, R>(projectId: string, change: Effect.Effect<A, E, R>) =>
  Effect.flatMap(RunToCompletion, (_) =>
    _.run(exclusively(leaseOf(projectId), () => Conflict.concurrentChange("the databases of the tenant"))(change))
  )

/**
 * An upstream's failure as a caller's, as everywhere. Of Kubernetes' 403s two
 * are no matter of the gateway's own rights: an operator's webhook says so of
 * what it will never take, and a quota, or a namespace that is going, of what
 * it does not take as things are.
 */
export const refused = (error: UpstreamError): Refusal => {
  if (error.upstream !== "kubernetes" || error.status !== 403) return refusal(error)
  if (/^admission webhook .* denied the request/.test(error.words)) return Unprocessable.upstream(error.words)
  return /exceeded quota|is being terminated/.test(error.words) ? Conflict.upstream(error.words) : refusal(error)
}

/**
 * Makes the ceilings of a tenant's databases those of a tier, or none at all,
 * where Kubernetes holds to them; nothing for a tenant without databases. It
 * waits for a create that read an earlier tier: its namespace would come with
 * that tier's limits.
 *
 * Errors: UpstreamError; without a status when its turn does not come in time.
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
