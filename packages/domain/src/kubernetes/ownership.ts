import type { KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { Predicate } from "effect"

/**
 * Whose a namespace and an object of the cluster are. A tenant's namespaces
 * follow from its project id and from nothing else; an object is the
 * platform's by its label, wherever it is.
 */

/** A namespace is a DNS label: RFC 1123, 63 characters at most. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The namespace of a tenant that has one: its managed databases are there, and whatever it makes itself. */
export const tenantNamespace = (projectId: string): string => `db-${projectId}`

/**
 * {@link tenantNamespace}; undefined for a project whose id is none that a
 * namespace can be named after. The identity service makes ids of 32 hex digits.
 */
export const databaseNamespace = (projectId: string): string | undefined => {
  const name = tenantNamespace(projectId)
  return label.test(name) ? name : undefined
}

/** All namespaces that are a tenant's own, by rule: nothing else decides whose a namespace is. */
export const namespacesOf = (projectId: string): ReadonlyArray<string> => {
  const name = databaseNamespace(projectId)
  return name === undefined ? [] : [name]
}

export const platform = "portico"
const managedBy = "app.kubernetes.io/managed-by"
const project = "portico/project-id"

/** On everything that the platform makes for a tenant. */
export const labelsOf = (projectId: string) => ({ [managedBy]: platform, [project]: projectId })

/** Selects what the platform made. */
export const managedSelector = `${managedBy}=${platform}`

/** Selects what the platform made for a tenant, in whatever namespace. */
export const tenantSelector = (projectId: string): string => `${project}=${projectId}`

export const labelOf = ({ metadata: { labels } }: KubernetesObject, name: string): string | undefined => {
  const value = Predicate.isObject(labels) && Predicate.hasProperty(labels, name) ? labels[name] : undefined
  return typeof value === "string" ? value : undefined
}

/** Whether the platform made it. What tenants make through the Kubernetes API is theirs. */
export const isManaged = (object: KubernetesObject): boolean => labelOf(object, managedBy) === platform
