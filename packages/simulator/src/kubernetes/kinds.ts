/** A served resource: where it is found, and what may be done with it. */
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
  /** Of objects that are stored. Reviews are only created. */
  readonly stored: boolean
  /** Sub-resources that {@link Kind} itself serves: `status`, `scale`; those of their own making are in routes. */
  readonly subresources: ReadonlyArray<string>
  /** Counts changes of the specification in `metadata.generation`. */
  readonly counted: boolean
  /** Defined by a CustomResourceDefinition: no strategic merge, no unconditional update. */
  readonly custom: boolean
}

/** `pods`, `deployments.apps`: how a kind is named in state, in messages and in quotas. */
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
    shortNames: words(row.short),
    categories: words(row.categories),
    namespaced: row.cluster !== true,
    stored: row.review !== true,
    subresources: words(row.sub),
    counted: row.counted === true,
    custom: false
  })

const words = (text: string | undefined): ReadonlyArray<string> => text?.split(" ") ?? []

const core = builtIn("", "v1")
const apps = builtIn("apps", "v1")
const batch = builtIn("batch", "v1")
const rbac = builtIn("rbac.authorization.k8s.io", "v1")
const networking = builtIn("networking.k8s.io", "v1")
const authorization = builtIn("authorization.k8s.io", "v1")

/** What the API server knows without any CustomResourceDefinition. */
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

/** A built-in kind by its resource name; dies for any other, since only the simulator itself names kinds so. */
export const builtInKind = (resource: string): Kind => {
  const kind = byResource.get(resource)
  if (kind === undefined) throw new Error(`${resource} is no built-in resource`)
  return kind
}
