import { type Tier, tiers } from "@portico/contract/Tiers"

/** Volume claims of a tenant's namespace (contract, Limits). */
export const namespaceClaims = 8

/** What a `ResourceQuota` limits, by name. */
export type Hard = Readonly<Record<string, string>>

/** Instances of databases at once: one a claim, and two that replace others. Each has 1 CPU and 1 GiB at most. */
const instances = namespaceClaims + 2

/** What the operators make for one database at most: CloudNativePG and Strimzi alike. */
const ofDatabase = { services: 3, secrets: 8, configMaps: 3, jobs: 4, policies: 2, budgets: 2 }

/** Objects of a kind that tenants make themselves. */
const objects: Readonly<Record<Tier, number>> = { discovery: 100, standard: 300, extension: 1000 }

/**
 * The limits of a tenant's namespace: the tier's cores and memory for pods, as
 * for servers, and beside them what its managed databases take at most, so
 * that a tenant that uses all of the one can still make the other. Nothing of
 * a node or of the platform's balancers is to be had at any tier.
 */
export const hardLimits = (tier: Tier): Hard => {
  const { cores, ram_mib, storage_footprint } = tiers[tier]
  const pods = 4 * cores + instances
  const own = objects[tier]
  const databases = (each: number) => own + namespaceClaims * each
  const gib = ram_mib / 1024
  return {
    persistentvolumeclaims: String(namespaceClaims),
    "requests.storage": `${storage_footprint}Gi`,
    "requests.cpu": String(cores + instances),
    "limits.cpu": String(cores + instances),
    "requests.memory": `${gib + instances}Gi`,
    "limits.memory": `${gib + instances}Gi`,
    pods: String(pods),
    services: String(databases(ofDatabase.services)),
    "services.loadbalancers": "0",
    "services.nodeports": "0",
    secrets: String(databases(ofDatabase.secrets)),
    configmaps: String(databases(ofDatabase.configMaps)),
    replicationcontrollers: String(own),
    "count/serviceaccounts": String(databases(1)),
    "count/deployments.apps": String(own),
    "count/statefulsets.apps": String(own),
    "count/daemonsets.apps": String(own),
    // A Deployment keeps ten that are scaled to nothing.
    "count/replicasets.apps": String(11 * own),
    "count/jobs.batch": String(databases(ofDatabase.jobs) + 4 * pods),
    "count/cronjobs.batch": String(own),
    "count/horizontalpodautoscalers.autoscaling": String(own),
    "count/leases.coordination.k8s.io": String(own),
    "count/networkpolicies.networking.k8s.io": String(databases(ofDatabase.policies)),
    "count/poddisruptionbudgets.policy": String(databases(ofDatabase.budgets)),
    // A controller that has more rights than the tenant might make one for it.
    "count/ingresses.networking.k8s.io": "0"
  }
}

/** What a tenant makes itself, and no controller makes again when it is lost. */
const begun = [
  "persistentvolumeclaims",
  "requests.storage",
  "services.loadbalancers",
  "services.nodeports",
  "count/deployments.apps",
  "count/statefulsets.apps",
  "count/daemonsets.apps",
  "count/cronjobs.batch",
  "count/horizontalpodautoscalers.autoscaling",
  "count/ingresses.networking.k8s.io"
]

/** What pods take: they are held at what is in use, so that nothing grows and a pod that dies comes back. */
const ofPods = ["pods", "requests.cpu", "limits.cpu", "requests.memory", "limits.memory"]

/**
 * The limits of a suspended tenant: no storage, nothing that would begin
 * something, and no more pods than there are. Of what controllers make of
 * that, the limits stay.
 *
 * @param before the limits so far; undefined when there are none yet
 * @param used what is in use; undefined when the limits hold the tenant at that already
 */
export const suspendedLimits = (before: Hard | undefined, used: Hard | undefined): Hard => ({
  // Limits of an earlier release lack most: what runs may need all of the largest tier.
  ...hardLimits(before === undefined ? "discovery" : "extension"),
  ...before,
  ...Object.fromEntries(ofPods.flatMap((name) => (used?.[name] === undefined ? [] : [[name, used[name]]]))),
  ...Object.fromEntries(begun.map((name) => [name, "0"]))
})
