import { tierOf } from "@portico/contract/Access"

/** The resource of a request, with its sub-resource. */
interface CallTarget {
  readonly kind: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
}

/** POSTs to these sub-resources act on existing objects: they open a connection into a pod, or evict it. */
const acting: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy", "eviction"])

/** Patch types that change an existing object and answer 404 otherwise. A server-side apply would create it. */
const changing = /^application\/(json-patch|merge-patch|strategic-merge-patch)\+json$/

/**
 * Resources whose PUT creates a missing object (`AllowCreateOnUpdate` in the strategies of kubernetes/kubernetes,
 * pkg/registry). Limits and roles have it too, but tenants may not write them.
 */
const createdByPut: ReadonlySet<string> = new Set([
  "/endpoints",
  "/events",
  "events.k8s.io/events",
  "/podtemplates",
  "/services",
  "coordination.k8s.io/leases"
])

/**
 * Whether a call creates an object in the cluster, which a suspended tenant may not. A call counts as a creation
 * unless it is known to change existing objects only. The namespace's quota limits changes that grow, such as more
 * replicas.
 */
export const createsInCluster = (
  { method, type }: { readonly method: string; readonly type?: string | undefined },
  at: CallTarget | undefined
): boolean => {
  if (tierOf(method) !== 1) return false
  if (at?.subresource !== undefined && acting.has(at.subresource)) return false
  if (method === "PATCH") return !changing.test((type ?? "").split(";")[0]?.trim().toLowerCase() ?? "")
  return method !== "PUT" || createdByPut.has(`${at?.group ?? ""}/${at?.resource ?? ""}`)
}
