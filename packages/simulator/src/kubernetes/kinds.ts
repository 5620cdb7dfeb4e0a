/** A served resource: its path and its properties. */
export interface Kind {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The resource name of the path. */
  readonly plural: string
  readonly singular: string
  readonly shortNames: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
  readonly namespaced: boolean
  /** Verbs of stored objects. Reviews can only be created. */
  readonly stored: boolean
  /** Sub-resources of the {@link Kind} itself: `status`, `scale`; those with an object of their own are in routes. */
  readonly subresources: ReadonlyArray<string>
  /** Increments `metadata.generation` when the specification changes. */
  readonly counted: boolean
  /** Defined by a CustomResourceDefinition: no strategic merge, no unconditional update. */
  readonly custom: boolean
}

/** `pods`, `deployments.apps`: the kind's key in state, messages and quotas. */
export const resourceOf = ({ group, plural }: Pick<Kind, "group" | "plural">): string =>
  group === "" ? plural : `${plural}.${group}`

export const apiVersionOf = ({ group, version }: Pick<Kind, "group" | "version">): string =>
  group === "" ? version : `${group}/${version}`

interface Row {
  readonly short?: string
  readonly categories?: string
  readonly cluster?: true
  readonly sub?: string
  readonly review?: true
  readonly counted?: true
}

const builtIn =
  (group: string, version: string) =>
  (kind: string, plural: string, row: Row = {}): Kind => ({
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: wordsIn(row.short),
    categories: wordsIn(row.categories),
    namespaced: row.cluster !== true,
    stored: row.review !== true,
    subresources: wordsIn(row.sub),
    counted: row.counted === true,
    custom: false
  })

const wordsIn = (text: string | undefined): ReadonlyArray<string> => text?.split(" ") ?? []

const core = builtIn("", "v1")
const apps = builtIn("apps", "v1")
const batch = builtIn("batch", "v1")
const rbac = builtIn("rbac.authorization.k8s.io", "v1")
const networking = builtIn("networking.k8s.io", "v1")
const authorization = builtIn("authorization.k8s.io", "v1")

/** The built-in kinds. */
export const builtIns: ReadonlyArray<Kind> = [
  core("Namespace", "namespaces", { short: "ns", cluster: true, sub: "status finalize" }),
  core("Node", "nodes", { short: "no", cluster: true, sub: "status proxy" }),
  core("Pod", "pods", { short: "po", categories: "all", sub: "attach eviction exec log portforward proxy status" }),
  core("Service", "services", { short: "svc", categories: "all", sub: "proxy status" }),
  core("ConfigMap", "configmaps", { short: "cm" }),
  core("Secret", "secrets"),
  core("ServiceAccount", "serviceaccounts", { short: "sa", sub: "token" }),
  core("PersistentVolumeClaim", "persistentvolumeclaims", { short: "pvc", sub: "status" }),
  core("ResourceQuota", "resourcequotas", { short: "quota", sub: "status" }),
  core("LimitRange", "limitranges", { short: "limits" }),
  core("Event", "events", { short: "ev" }),
  core("Endpoints", "endpoints", { short: "ep" }),
  apps("Deployment", "deployments", { short: "deploy", categories: "all", sub: "scale status", counted: true }),
  apps("StatefulSet", "statefulsets", { short: "sts", categories: "all", sub: "scale status", counted: true }),
  apps("ReplicaSet", "replicasets", { short: "rs", categories: "all", sub: "scale status", counted: true }),
  batch("Job", "jobs", { categories: "all", sub: "status", counted: true }),
  batch("CronJob", "cronjobs", { short: "cj", categories: "all", sub: "status", counted: true }),
  rbac("Role", "roles"),
  rbac("RoleBinding", "rolebindings"),
  rbac("ClusterRole", "clusterroles", { cluster: true }),
  rbac("ClusterRoleBinding", "clusterrolebindings", { cluster: true }),
  networking("NetworkPolicy", "networkpolicies", { short: "netpol", counted: true }),
  networking("Ingress", "ingresses", { short: "ing", sub: "status", counted: true }),
  builtIn("coordination.k8s.io", "v1")("Lease", "leases"),
  builtIn("storage.k8s.io", "v1")("StorageClass", "storageclasses", { short: "sc", cluster: true }),
  builtIn("apiextensions.k8s.io", "v1")("CustomResourceDefinition", "customresourcedefinitions", {
    short: "crd crds",
    categories: "api-extensions",
    cluster: true,
    sub: "status",
    counted: true
  }),
  builtIn("discovery.k8s.io", "v1")("EndpointSlice", "endpointslices"),
  authorization("SelfSubjectAccessReview", "selfsubjectaccessreviews", { cluster: true, review: true }),
  authorization("SelfSubjectRulesReview", "selfsubjectrulesreviews", { cluster: true, review: true }),
  authorization("SubjectAccessReview", "subjectaccessreviews", { cluster: true, review: true }),
  builtIn("authentication.k8s.io", "v1")("SelfSubjectReview", "selfsubjectreviews", { cluster: true, review: true })
]

const byResource: ReadonlyMap<string, Kind> = new Map(builtIns.map((kind) => [resourceOf(kind), kind]))

/** A built-in kind by its resource name; throws for any other, because only the simulator's own code calls it. */
export const builtInKind = (resource: string): Kind => {
  const kind = byResource.get(resource)
  if (kind === undefined) throw new Error(`${resource} is no built-in resource`)
  return kind
}
