import type { Tier } from "@portico/contract/Tiers"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { exclusively } from "../exclusively.ts"
import { limitNamespace } from "../kubernetes/ensureNamespace.ts"
import { leaseOf } from "./lease.ts"

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
