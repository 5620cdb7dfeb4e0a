import { Engine, isDatabaseName } from "@portico/contract/Databases"
import { NotFound } from "@portico/contract/Failures"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Effect } from "effect"
import { databaseNamespace } from "../kubernetes/ownership.ts"

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
