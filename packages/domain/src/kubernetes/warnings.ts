import { Tenants } from "@portico/store/Tenants"
import { type Kind, kinds } from "@portico/upstream/kubernetes/kinds"
import { type Content, Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { Context, Effect } from "effect"
import { clusterUser, operators } from "./groups.ts"
import { databaseNamespace } from "./ownership.ts"

/** The cluster's last known shortcomings, for readiness, from memory. Empty before the first check. */
export const ClusterWarnings = Context.Reference<{ current(): ReadonlyArray<string> }>(
  "portico/domain/kubernetes/ClusterWarnings",
  { defaultValue: () => ({ current: () => [] }) }
)

/** A request that the cluster must refuse, and the warning when it does not. */
interface Check {
  readonly kind: Kind
  readonly content: Content
  readonly warning: string
}

const container = { name: "check", image: "check" }

const checks: ReadonlyArray<Check> = [
  {
    kind: kinds.pod,
    content: { fields: { spec: { hostNetwork: true, containers: [container] } } },
    warning: "the cluster admits pods of tenants to its nodes' network: Pod Security is not enforced"
  },
  {
    kind: kinds.service,
    content: { fields: { spec: { type: "NodePort", ports: [{ port: 80 }] } } },
    warning: "the cluster admits Services of type NodePort in tenants' namespaces: ResourceQuota is not enforced"
  },
  {
    kind: kinds.service,
    content: { fields: { spec: { ports: [{ port: 80 }], externalIPs: ["192.0.2.1"] } } },
    warning:
      "the cluster admits Services with external addresses: the admission plug-in DenyServiceExternalIPs is not on"
  }
]

/** The most tenants examined to find one with a namespace. */
const maxTenants = 10

/**
 * Sends the cluster dry-run requests of a tenant that it must refuse. There is no warning when they
 * cannot be sent: without a cluster, without a tenant that has a namespace, and while the API
 * server does not answer.
 */
export const checkCluster = Effect.fn("kubernetes.check")(function* () {
  const { admits, find, present } = yield* Kubernetes
  if (!present) return []
  const tenants = (yield* (yield* Tenants).list).slice(0, maxTenants)
  for (const { project_id: projectId } of tenants) {
    const namespace = databaseNamespace(projectId)
    if (namespace === undefined || (yield* find(kinds.namespace, { name: namespace })) === undefined) continue
    // The probe has the rights of the tenant's tier 1 alone.
    const who = { user: clusterUser("probe"), group: operators(projectId) }
    const found = yield* Effect.forEach(checks, ({ content, kind, warning }) =>
      Effect.map(admits(kind, { namespace, name: "portico-check" }, content, who), (may) => (may ? [warning] : []))
    )
    return found.flat()
  }
  return []
})
