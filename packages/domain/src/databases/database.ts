import { Conflict, NotFound, Unprocessable } from "@portico/contract/Failures"
import type { Tier } from "@portico/contract/Tiers"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { exclusively } from "../work/exclusively.ts"
import { limitNamespace } from "../kubernetes/ensureNamespace.ts"
import { RunToCompletion } from "../work/RunToCompletion.ts"
import { refusal, type Refusal } from "../refusal.ts"
import { Engine, isDatabaseName } from "@portico/contract/Databases"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { databaseNamespace } from "../kubernetes/ownership.ts"

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
  if (/^admission webhook .* denied the request/.test(error.detail)) return Unprocessable.upstream(error.detail)
  return /exceeded quota|is being terminated/.test(error.detail) ? Conflict.upstream(error.detail) : refusal(error)
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
    call: "limit databases",
    status: null,
    detail: "another change of the tenant's databases is under way"
  })

/** Identifies a database. The namespace derives from the tenant, and never from the caller's input. */
export interface DatabaseRef {
  readonly projectId: string
  readonly namespace: string
  readonly engine: Engine
  readonly name: string
}

/**
 * The namespace of a tenant's databases, which may not exist yet.
 *
 * Errors: 404 in a cloud without a cluster, as for any service that a cloud may lack.
 */
export const namespaceOf = Effect.fnUntraced(function* (projectId: string) {
  const { present } = yield* Kubernetes
  const namespace = databaseNamespace(projectId)
  return present && namespace !== undefined ? namespace : yield* NotFound.service("databases")
})

/**
 * The database that a path names. An unknown engine or an invalid name is a 404, like a database
 * that does not exist.
 *
 * Errors: 404.
 */
export const databaseRefOf = Effect.fnUntraced(function* (projectId: string, engine: string, name: string) {
  const namespace = yield* namespaceOf(projectId)
  const known = Engine.literals.find((_) => _ === engine)
  if (known === undefined || !isDatabaseName(known, name)) return yield* NotFound.database(name)
  return { projectId, namespace, engine: known, name } satisfies DatabaseRef
})
