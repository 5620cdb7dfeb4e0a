import { type Tier, tiers } from "@portico/contract/Tiers"

/** The most volume claims in a tenant's namespace (contract, Limits). */
export const namespaceClaims = 8

/** The limits of a `ResourceQuota`, by name. */
export type Hard = Readonly<Record<string, string>>

/**
 * The most database instances at once: one for each claim, and two that replace others. Each has at
 * most 1 CPU and 1 GiB.
 */
const instances = namespaceClaims + 2

/** The most objects that CloudNativePG or Strimzi create for one database. */
const ofDatabase = { services: 3, secrets: 8, configMaps: 3, jobs: 4, policies: 2, budgets: 2 }

/** The objects of each kind that tenants may create themselves. */
const objects: Readonly<Record<Tier, number>> = { discovery: 100, standard: 300, extension: 1000 }

/**
 * The limits of a tenant's namespace: the tier's cores and memory for pods, as for servers, plus
 * the most that its managed databases use. A tenant that uses up one part can therefore still use
 * the other. No tier allows node ports or load balancers.
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
    // A Deployment keeps ten old replica sets scaled to zero.
    "count/replicasets.apps": String(11 * own),
    "count/jobs.batch": String(databases(ofDatabase.jobs) + 4 * pods),
    "count/cronjobs.batch": String(own),
    "count/horizontalpodautoscalers.autoscaling": String(own),
    "count/leases.coordination.k8s.io": String(own),
    "count/networkpolicies.networking.k8s.io": String(databases(ofDatabase.policies)),
    "count/poddisruptionbudgets.policy": String(databases(ofDatabase.budgets)),
    // A controller with more rights than the tenant might expose it through an Ingress.
    "count/ingresses.networking.k8s.io": "0"
  }
}

/** Objects that tenants create and that no controller recreates. */
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

/** Resources of pods: they are held at the current usage, so nothing grows and a failed pod can be replaced. */
const ofPods = ["pods", "requests.cpu", "limits.cpu", "requests.memory", "limits.memory"]

/**
 * The limits of a suspended tenant: no storage, nothing that starts new work, and no more pods than
 * now. The limits of objects that controllers create stay.
 *
 * @param before the current limits; undefined when there are none yet
 * @param used the current usage; undefined when the limits hold the tenant at its usage already
 */
export const suspendedLimits = (before: Hard | undefined, used: Hard | undefined): Hard => ({
  // Limits of an earlier release lack most names, so the largest tier's fill in: running workloads may need all of
  // them.
  ...hardLimits(before === undefined ? "discovery" : "extension"),
  ...before,
  ...Object.fromEntries(ofPods.flatMap((name) => (used?.[name] === undefined ? [] : [[name, used[name]]]))),
  ...Object.fromEntries(begun.map((name) => [name, "0"]))
})
