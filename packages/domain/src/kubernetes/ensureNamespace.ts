import { addressOf, hostNetwork } from "@portico/contract/Networks"
import type { Tier } from "@portico/contract/Tiers"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes, type KubernetesObject } from "@portico/upstream/kubernetes/Kubernetes"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect, Predicate, Schedule } from "effect"
import { ClusterSettings } from "./ClusterSettings.ts"
import { at, listAt, wholeAt } from "./fields.ts"
import { clusterUser, operators, readers } from "./groups.ts"
import { closeListeners } from "./listeners.ts"
import { databaseNamespace, labelsOf, namespacesOf } from "./ownership.ts"
import { type Block, policiesOf } from "./policies.ts"
import { type Hard, hardLimits, suspendedLimits } from "./quotas.ts"

/**
 * Creates or repairs a tenant's namespace, with its limits, its network policies and the tenant's
 * access. It may run concurrently with other processes. With `suspended`, the limits keep the
 * tenant from starting anything.
 *
 * @returns the name of the namespace
 *
 * Errors: UpstreamError with the API server's message; without a status when the access did not
 * take effect in time, and then a retry repairs it.
 */
export const ensureNamespace = Effect.fn("kubernetes.ensureNamespace")(function* (
  projectId: string,
  tier: Tier | "suspended"
) {
  const namespace = databaseNamespace(projectId)
  if (namespace === undefined) {
    return yield* failed(404, `no namespace can be named after the project '${projectId}'`)
  }
  const { apply } = yield* Kubernetes
  const labels = labelsOf(projectId)

  yield* apply(
    kinds.namespace,
    { name: namespace },
    { labels: { ...labels, "pod-security.kubernetes.io/enforce": "baseline" } }
  )
  const put = (kind: Parameters<typeof apply>[0], name: string, fields: Readonly<Record<string, unknown>>) =>
    apply(kind, { namespace, name }, { labels, fields })

  yield* Effect.all(
    [
      limited(projectId, namespace, tier),
      put(kinds.limitRange, "tenant-defaults", { spec: { limits: [containerDefaults] } }),
      // A controller creates this account too, but later; until then no pod would be admitted.
      put(kinds.serviceAccount, "default", { automountServiceAccountToken: false })
    ],
    { concurrency: "unbounded", discard: true }
  )
  // The access comes last, so no user gets in before the limits exist.
  yield* Effect.all(
    [
      put(kinds.roleBinding, "tenant-readers", bound(readers(projectId), "view")),
      put(kinds.roleBinding, "tenant-operators", bound(operators(projectId), "edit"))
    ],
    { concurrency: "unbounded", discard: true }
  )
  yield* closeListeners(projectId, namespace)
  yield* admitted(projectId, namespace)
  return namespace
})

/**
 * Sets the limits of a tenant's namespace to those of a tier; does nothing when the namespace does
 * not exist or is being deleted. Existing objects stay. Repeatable.
 *
 * Errors: UpstreamError.
 */
export const limitNamespace = Effect.fn("kubernetes.limitNamespace")(function* (
  projectId: string,
  tier: Tier | "suspended"
) {
  const { find, present } = yield* Kubernetes
  const namespace = databaseNamespace(projectId)
  if (!present || namespace === undefined) return
  const found = yield* find(kinds.namespace, { name: namespace })
  if (found === undefined || found.metadata["deletionTimestamp"] !== undefined) return
  yield* limited(projectId, namespace, tier)
  yield* closeListeners(projectId, namespace)
})

const quota = "tenant-quota"

/** Writes the quotas and the network policies of a namespace. */
const limited = Effect.fnUntraced(function* (projectId: string, namespace: string, tier: Tier | "suspended") {
  const { apply, find } = yield* Kubernetes
  const settings = yield* ClusterSettings
  const before = tier === "suspended" ? yield* find(kinds.resourceQuota, { namespace, name: quota }) : undefined
  const isSuspended = tier === "suspended"
  const hard = isSuspended ? suspendedLimits(hardOf(before), usedOf(before)) : hardLimits(tier)
  const annotations = { annotations: { [heldNote]: String(isSuspended) } }
  const policies = policiesOf(settings, {
    namespaces: namespacesOf(projectId),
    api: yield* apiServer,
    archive: yield* settings.archive
  })
  const labels = labelsOf(projectId)
  yield* Effect.all(
    [
      apply(kinds.resourceQuota, { namespace, name: quota }, { labels, ...annotations, fields: { spec: { hard } } }),
      apply(kinds.resourceQuota, { namespace, name: "tenant-priorities" }, { labels, fields: { spec: priorities } }),
      ...policies.map(({ name, spec }) => apply(kinds.networkPolicy, { namespace, name }, { labels, fields: { spec } }))
    ],
    { concurrency: "unbounded", discard: true }
  )
})

/** A pod of one of these classes would evict pods of other tenants and of the platform. */
const priorities = {
  hard: { pods: "0" },
  scopeSelector: {
    matchExpressions: [
      { scopeName: "PriorityClass", operator: "In", values: ["system-cluster-critical", "system-node-critical"] }
    ]
  }
}

/**
 * An annotation with "true" or "false": whether the quota limits a suspended tenant to its usage.
 * It is always written, because an omitted annotation may stay.
 */
const heldNote = "portico/held-at-usage"

const hardOf = (found: KubernetesObject | undefined): Hard | undefined => amountsIn(at(found, "spec", "hard"))

/**
 * Undefined for a quota that is held at usage already: the usage may be lower by now, and would
 * leave no room for pods that are being replaced.
 */
const usedOf = (found: KubernetesObject | undefined): Hard | undefined =>
  at(found, "metadata", "annotations", heldNote) === "true" ? undefined : amountsIn(at(found, "status", "used"))

const amountsIn = (amounts: unknown): Hard | undefined => {
  if (!Predicate.isObject(amounts)) return undefined
  return Object.fromEntries(
    Object.entries(amounts).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )
}

/** The API server as pods see it: from the settings, or from its own Service. */
const apiServer = Effect.gen(function* () {
  const { api } = yield* ClusterSettings
  if (api.length > 0) return api.map((network): Block => ({ network }))
  const { list } = yield* Kubernetes
  const slices = yield* list(kinds.endpointSlice, {
    namespace: "default",
    labelSelector: "kubernetes.io/service-name=kubernetes"
  })
  return slices.flatMap(blocksOf)
})

const blocksOf = (slice: KubernetesObject): ReadonlyArray<Block> => {
  const ports = listAt(slice, "ports").flatMap((_) => wholeAt(_, "port") ?? [])
  const addresses = listAt(slice, "endpoints").flatMap((_) => listAt(_, "addresses"))
  return addresses.flatMap((text) => {
    const address = typeof text === "string" ? addressOf(text) : undefined
    return address === undefined ? [] : ports.map((port) => ({ network: hostNetwork(address), port }))
  })
}

/** The defaults for containers without their own values (contract, Limits). `default` is the limits. */
const containerDefaults = {
  type: "Container",
  defaultRequest: { cpu: "50m", memory: "128Mi" },
  default: { cpu: "500m", memory: "512Mi" }
}

const bound = (group: string, clusterRole: string) => ({
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: clusterRole },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }]
})

/** Waits until the bindings take effect, which is a moment after they are stored. */
const admitted = Effect.fnUntraced(function* (projectId: string, namespace: string) {
  const { create } = yield* Kubernetes
  const review = create(
    kinds.subjectAccessReview,
    {},
    {
      fields: {
        spec: {
          user: clusterUser("probe"),
          groups: [readers(projectId), operators(projectId)],
          resourceAttributes: { namespace, verb: "create", resource: "configmaps" }
        }
      }
    }
  )
  yield* Effect.flatMap(review, (_) =>
    at(_, "status", "allowed") === true
      ? Effect.void
      : failed(null, "the access of the tenant to its namespace did not take effect")
  ).pipe(Effect.retry({ times: 10, schedule: Schedule.spaced("200 millis"), while: (error) => error.status === null }))
})

const failed = (status: number | null, detail: string) =>
  Effect.fail(new UpstreamError({ upstream: "kubernetes", call: "ensure namespace", status, detail }))
