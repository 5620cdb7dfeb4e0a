import { tierOf } from "@portico/contract/Access"

/** A sub-resource that a request is about, with the resource it belongs to. */
interface At {
  readonly kind: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
}

/** POSTs to these act on what is there: they open a way into a pod, or evict it. */
const acting: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy", "eviction"])

/** Patches that change an object and are a 404 where there is none; a server-side apply makes it then. */
const changing = /^application\/(json-patch|merge-patch|strategic-merge-patch)\+json$/

/**
 * Resources whose PUT makes what is not there (`AllowCreateOnUpdate` in the strategies of kubernetes/kubernetes,
 * pkg/registry). Limits and roles have it too, and are refused to tenants anyway.
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
 * Whether a call makes something new in the cluster, which a suspended tenant may not. What is not known to change what
 * is there counts as a creation. A change that grows, such as more replicas, is held by the namespace's quota.
 */
export const createsInCluster = (
  { method, type }: { readonly method: string; readonly type?: string | undefined },
  at: At | undefined
): boolean => {
  if (tierOf(method) !== 1) return false
  if (at?.subresource !== undefined && acting.has(at.subresource)) return false
  if (method === "PATCH") return !changing.test((type ?? "").split(";")[0]?.trim().toLowerCase() ?? "")
  return method !== "PUT" || createdByPut.has(`${at?.group ?? ""}/${at?.resource ?? ""}`)
}
