import { type Tier, tiers } from "@portico/contract/Tiers"
import { kinds } from "@portico/upstream/kubernetes/kinds"
import { Kubernetes } from "@portico/upstream/kubernetes/Kubernetes"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect, Predicate, Schedule } from "effect"
import { clusterUser, operators, readers } from "./groups.ts"
import { databaseNamespace } from "./namespaces.ts"

/** Volume claims of a tenant's namespace (contract, Limits). */
export const namespaceClaims = 8

/**
 * Makes a tenant's namespace what it has to be, with its limits and with the
 * access of the tenant; there already or not, by another process at the same
 * moment or not. A suspended tenant gets no more of anything than it uses.
 *
 * @returns the name of the namespace
 *
 * Errors: UpstreamError in the API server's words; without a status when the
 * access did not take effect in time, and then a repeat mends it.
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
      // A controller makes this one too, some time later; until then no pod would be admitted.
      put(kinds.serviceAccount, "default", { automountServiceAccountToken: false })
    ],
    { concurrency: "unbounded", discard: true }
  )
  // Only now, so that nobody gets in before the limits are there.
  yield* Effect.all(
    [
      put(kinds.roleBinding, "tenant-readers", bound(readers(projectId), "view")),
      put(kinds.roleBinding, "tenant-operators", bound(operators(projectId), "edit"))
    ],
    { concurrency: "unbounded", discard: true }
  )
  yield* admitted(projectId, namespace)
  return namespace
})

/**
 * Makes the limits of a tenant's namespace those of a tier; nothing when there
 * is no namespace, or when it goes. What is in it already stays. Repeatable.
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
})

const limited = Effect.fnUntraced(function* (projectId: string, namespace: string, tier: Tier | "suspended") {
  const hard = tier === "suspended" ? yield* inUse(namespace) : hardLimits(tier)
  const annotations = tier === "suspended" ? { annotations: { [heldNote]: "true" } } : {}
  yield* (yield* Kubernetes).apply(
    kinds.resourceQuota,
    { namespace, name: quota },
    { labels: labelsOf(projectId), ...annotations, fields: { spec: { hard } } }
  )
})

/** On a quota that holds a suspended tenant at what it used. */
const heldNote = "portico/held-at-usage"

/**
 * What the namespace uses of each thing that tiers limit: a suspended tenant gets no more, and what dies comes back into
 * the room that it leaves. Once held, a quota stays as it is until a tier replaces it, because a later look would take
 * away the room of whatever is just being replaced.
 */
const inUse = Effect.fnUntraced(function* (namespace: string) {
  const found = yield* (yield* Kubernetes).find(kinds.resourceQuota, { namespace, name: quota })
  const isHeld = Predicate.hasProperty(found?.metadata["annotations"], heldNote)
  const known = isHeld ? found?.["spec"] : found?.["status"]
  const amounts = Predicate.hasProperty(known, isHeld ? "hard" : "used") ? known[isHeld ? "hard" : "used"] : undefined
  const amountOf = (name: string): string => {
    const amount = Predicate.hasProperty(amounts, name) ? amounts[name] : undefined
    return typeof amount === "string" || typeof amount === "number" ? String(amount) : "0"
  }
  return Object.fromEntries(Object.keys(hardLimits("discovery")).map((name) => [name, amountOf(name)]))
})

/** The `ResourceQuota`. */
const quota = "tenant-quota"

const labelsOf = (projectId: string) => ({
  "app.kubernetes.io/managed-by": "portico",
  "portico/project-id": projectId
})

const hardLimits = (tier: Tier) => ({
  persistentvolumeclaims: String(namespaceClaims),
  "requests.storage": `${tiers[tier].storage_footprint}Gi`
})

/** For containers that say nothing themselves (contract, Limits). `default` is the limits. */
const containerDefaults = {
  type: "Container",
  defaultRequest: { cpu: "50m", memory: "128Mi" },
  default: { cpu: "500m", memory: "512Mi" }
}

const bound = (group: string, clusterRole: string) => ({
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: clusterRole },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }]
})

/** Bindings reach the API server's own decisions a moment after they are stored. */
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
    Predicate.isObject(_["status"]) && _["status"]["allowed"] === true
      ? Effect.void
      : failed(null, "the access of the tenant to its namespace did not take effect")
  ).pipe(Effect.retry({ times: 10, schedule: Schedule.spaced("200 millis"), while: (error) => error.status === null }))
})

const failed = (status: number | null, words: string) =>
  Effect.fail(new UpstreamError({ upstream: "kubernetes", call: "ensureNamespace", status, words }))
