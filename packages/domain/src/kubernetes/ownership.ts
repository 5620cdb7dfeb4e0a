import type { KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { stringAt } from "./fields.ts"

/**
 * Ownership of namespaces and objects in the cluster. A tenant's namespaces derive from its project
 * id alone. An object is the platform's when it has the platform's label, in any namespace.
 */

/** A namespace is a DNS label: RFC 1123, 63 characters at most. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The namespace of a tenant, for its managed databases and for everything that it creates itself. */
export const tenantNamespace = (projectId: string): string => `db-${projectId}`

/**
 * {@link tenantNamespace}; undefined for a project whose id cannot be part of a namespace's name.
 * Keystone creates ids of 32 hex digits.
 */
export const databaseNamespace = (projectId: string): string | undefined => {
  const name = tenantNamespace(projectId)
  return label.test(name) ? name : undefined
}

/** All namespaces of a tenant, by this rule; nothing else decides the ownership of a namespace. */
export const namespacesOf = (projectId: string): ReadonlyArray<string> => {
  const name = databaseNamespace(projectId)
  return name === undefined ? [] : [name]
}

export const platform = "portico"
const managedBy = "app.kubernetes.io/managed-by"
const project = "portico/project-id"

/** The labels of everything that the platform creates for a tenant. */
export const labelsOf = (projectId: string) => ({ [managedBy]: platform, [project]: projectId })

/** Selects what the platform created. */
export const managedSelector = `${managedBy}=${platform}`

/** Selects what the platform created for a tenant, in any namespace. */
export const tenantSelector = (projectId: string): string => `${project}=${projectId}`

export const labelOf = (object: KubernetesObject, name: string): string | undefined =>
  stringAt(object, "metadata", "labels", name)

/** Whether the platform created the object. Objects that tenants create through the Kubernetes API are theirs. */
export const isManaged = (object: KubernetesObject): boolean => labelOf(object, managedBy) === platform
