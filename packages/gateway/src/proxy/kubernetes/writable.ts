import type { Guard } from "./guards.ts"
import { guards } from "./guards.ts"

/**
 * The kinds that a tenant may create and change, by `resource.group`: those of the stock role `edit`, without kinds
 * that reach beyond the tenant's namespace. A guard checks the body of a write. Null marks kinds that can harm only
 * the tenant itself, or that the namespace's quota and Pod Security contain.
 *
 * The list is closed. An operator who installs a kind that aggregates to `edit` (`aggregate-to-edit`) opens it to
 * tenants with `KUBERNETES_TENANT_RESOURCES`. The gateway cannot know what the kind's controller does, which has more
 * rights than the tenant.
 */
const writable: Readonly<Record<string, Guard | null>> = {
  configmaps: null,
  persistentvolumeclaims: null,
  pods: null,
  replicationcontrollers: null,
  secrets: guards.secrets,
  serviceaccounts: null,
  services: guards.services,
  "daemonsets.apps": null,
  "deployments.apps": null,
  "replicasets.apps": null,
  "statefulsets.apps": null,
  "horizontalpodautoscalers.autoscaling": guards.autoscalers,
  "cronjobs.batch": null,
  "jobs.batch": null,
  "leases.coordination.k8s.io": null,
  "networkpolicies.networking.k8s.io": guards.networkPolicies,
  "poddisruptionbudgets.policy": null
}

export const databasesElsewhere = "managed databases are made and changed under /v1/databases"

/** They may be large, no quota of a namespace counts them, and all tenants share the store that they are in. */
const eventsElsewhere = "the cluster's own components write events"

/** Refused kinds with a reason of their own. */
const reasons: Readonly<Record<string, string>> = {
  "ingresses.networking.k8s.io": "a public host name comes with an exposure, see POST /v1/edge/exposures",
  "ingresses.extensions": "a public host name comes with an exposure, see POST /v1/edge/exposures",
  events: eventsElsewhere,
  "events.events.k8s.io": eventsElsewhere,
  endpoints: "the cluster writes the endpoints of a Service from its selector",
  "endpointslices.discovery.k8s.io": "the cluster writes the endpoints of a Service from its selector",
  "clusters.postgresql.cnpg.io": databasesElsewhere,
  "kafkas.kafka.strimzi.io": databasesElsewhere,
  "kafkanodepools.kafka.strimzi.io": databasesElsewhere
}

const gatewayApi = /\.gateway\.networking\.(x-)?k8s\.io$/

/** `pods`, `deployments.apps` */
export const resourceName = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
  group === "" ? resource : `${resource}.${group}`

/**
 * The reason why tenants may not write a resource; undefined when they may.
 *
 * @param more kinds that the operator opened beside the list
 */
export const reasonAgainstWriting = (name: string, more: ReadonlySet<string>): string | undefined => {
  if (Object.hasOwn(writable, name) || more.has(name)) return undefined
  if (gatewayApi.test(name)) return "a public host name comes with an exposure, see POST /v1/edge/exposures"
  return reasons[name] ?? "tenants do not write this kind of object"
}

/** The check of a create or a change; undefined when the body need not be read. */
export const guardOf = (name: string): Guard | undefined =>
  Object.hasOwn(writable, name) ? (writable[name] ?? undefined) : undefined
