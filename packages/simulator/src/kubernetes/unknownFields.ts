import { isObject, type JsonObject, objectAt } from "../Json.ts"
import { type Kind, resourceOf } from "./kinds.ts"

/**
 * The fields of built-in types, as far as they are told from misspelt ones:
 * the outer levels, metadata, and pods. `name` is a field of any content,
 * `name:type` one of a type that stands below, `name[]:type` a list of those.
 */
const types: Readonly<Record<string, string>> = {
  metadata:
    "name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp " +
    "deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields",
  podSpec:
    "volumes initContainers[]:container containers[]:container ephemeralContainers restartPolicy " +
    "terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName serviceAccount " +
    "automountServiceAccountToken nodeName hostNetwork hostPID hostIPC shareProcessNamespace securityContext " +
    "imagePullSecrets hostname subdomain affinity schedulerName tolerations hostAliases priorityClassName priority " +
    "dnsConfig readinessGates runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints " +
    "setHostnameAsFQDN os hostUsers schedulingGates resourceClaims",
  container:
    "name image command args workingDir ports envFrom env resources:resources resizePolicy restartPolicy volumeMounts " +
    "volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath " +
    "terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty",
  resources: "limits requests claims",
  template: "metadata:metadata spec:podSpec",
  deploymentSpec:
    "replicas selector template:template strategy minReadySeconds revisionHistoryLimit paused progressDeadlineSeconds",
  statefulSetSpec:
    "replicas selector template:template volumeClaimTemplates serviceName podManagementPolicy updateStrategy " +
    "revisionHistoryLimit minReadySeconds persistentVolumeClaimRetentionPolicy ordinals",
  replicaSetSpec: "replicas minReadySeconds selector template:template",
  jobSpec:
    "parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex " +
    "maxFailedIndexes selector manualSelector template:template ttlSecondsAfterFinished completionMode suspend " +
    "podReplacementPolicy managedBy",
  cronJobSpec:
    "schedule timeZone startingDeadlineSeconds concurrencyPolicy suspend jobTemplate successfulJobsHistoryLimit " +
    "failedJobsHistoryLimit",
  claimSpec:
    "accessModes selector resources:resources volumeName storageClassName volumeMode dataSource dataSourceRef " +
    "volumeAttributesClassName",
  leaseSpec: "holderIdentity leaseDurationSeconds acquireTime renewTime leaseTransitions",
  quotaSpec: "hard scopes scopeSelector",
  limitRangeSpec: "limits"
}

const tops: Readonly<Record<string, string>> = {
  namespaces: "spec status",
  pods: "spec:podSpec status",
  services: "spec status",
  configmaps: "data binaryData immutable",
  secrets: "data stringData type immutable",
  serviceaccounts: "secrets imagePullSecrets automountServiceAccountToken",
  persistentvolumeclaims: "spec:claimSpec status",
  resourcequotas: "spec:quotaSpec status",
  limitranges: "spec:limitRangeSpec",
  endpoints: "subsets",
  "endpointslices.discovery.k8s.io": "addressType endpoints ports",
  "deployments.apps": "spec:deploymentSpec status",
  "statefulsets.apps": "spec:statefulSetSpec status",
  "replicasets.apps": "spec:replicaSetSpec status",
  "jobs.batch": "spec:jobSpec status",
  "cronjobs.batch": "spec:cronJobSpec status",
  "roles.rbac.authorization.k8s.io": "rules",
  "clusterroles.rbac.authorization.k8s.io": "rules aggregationRule",
  "rolebindings.rbac.authorization.k8s.io": "subjects roleRef",
  "clusterrolebindings.rbac.authorization.k8s.io": "subjects roleRef",
  "leases.coordination.k8s.io": "spec:leaseSpec",
  "networkpolicies.networking.k8s.io": "spec status",
  "ingresses.networking.k8s.io": "spec status"
}

interface Known {
  readonly object: JsonObject
  readonly unknown: ReadonlyArray<string>
}

const knownOf = (fields: string, given: JsonObject, path: string): Known => {
  const types_ = new Map(fields.split(" ").map((_) => [_.split(/\[\]|:/)[0] ?? "", _] as const))
  const kept = Object.entries(given).map(([key, value]) => {
    const field = types_.get(key)
    const at = path === "" ? key : `${path}.${key}`
    if (field === undefined) return { key, value: undefined, unknown: [at] }
    const [, type] = field.split(":")
    const inner = type === undefined ? undefined : types[type]
    if (inner === undefined) return { key, value, unknown: [] }
    if (Array.isArray(value)) {
      const items = value.map((_, index) => knownOf(inner, objectAt(_), `${at}[${index}]`))
      return { key, value: items.map((_) => _.object), unknown: items.flatMap((_) => _.unknown) }
    }
    if (!isObject(value)) return { key, value, unknown: [] }
    const below = knownOf(inner, value, at)
    return { key, value: below.object, unknown: below.unknown }
  })
  return {
    object: Object.fromEntries(kept.filter((_) => _.value !== undefined).map(({ key, value }) => [key, value])),
    unknown: kept.flatMap((_) => _.unknown)
  }
}

/** An object without the fields that its type does not have, and where those were. */
export const known = (kind: Kind, object: JsonObject): Known => {
  const top = tops[resourceOf(kind)]
  return top === undefined ? { object, unknown: [] } : knownOf(`apiVersion kind metadata:metadata ${top}`, object, "")
}
