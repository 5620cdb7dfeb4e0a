/** A namespace is a DNS label: RFC 1123, 63 characters at most. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Where the managed databases of a tenant live: `db-{project_id}`. Undefined
 * for a project whose id is none that a namespace can be named after; the
 * identity service makes ids of 32 hex digits.
 */
export const databaseNamespace = (projectId: string): string | undefined => {
  const name = `db-${projectId}`
  return label.test(name) ? name : undefined
}

/** All namespaces that are a tenant's own, by rule: nothing else decides whose a namespace is. */
export const namespacesOf = (projectId: string): ReadonlyArray<string> => {
  const name = databaseNamespace(projectId)
  return name === undefined ? [] : [name]
}
