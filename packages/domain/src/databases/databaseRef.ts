import { Engine, isDatabaseName } from "@portico/contract/Databases"
import { NotFound } from "@portico/contract/Failures"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { databaseNamespace } from "../kubernetes/ownership.ts"

/** A database's name and where it is. The namespace follows from the tenant, and from nothing that a caller sends. */
export interface Place {
  readonly projectId: string
  readonly namespace: string
  readonly engine: Engine
  readonly name: string
}

/**
 * The namespace of a tenant's databases, there already or not.
 *
 * Errors: 404 in a cloud without a cluster, as for any service that a cloud may lack.
 */
export const namespaceOf = Effect.fnUntraced(function* (projectId: string) {
  const { present } = yield* Kubernetes
  const namespace = databaseNamespace(projectId)
  return present && namespace !== undefined ? namespace : yield* NotFound.service("databases")
})

/**
 * Where a path leads. What cannot be an engine, or the name of one of its
 * databases, is not there, like what is none.
 *
 * Errors: 404.
 */
export const placeOf = Effect.fnUntraced(function* (projectId: string, engine: string, name: string) {
  const namespace = yield* namespaceOf(projectId)
  const known = Engine.literals.find((_) => _ === engine)
  if (known === undefined || !isDatabaseName(known, name)) return yield* NotFound.database(name)
  return { projectId, namespace, engine: known, name } satisfies Place
})
