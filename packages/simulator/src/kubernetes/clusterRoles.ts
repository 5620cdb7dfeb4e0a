/** A rule as RBAC objects hold it. */
export interface PolicyRule {
  readonly apiGroups?: ReadonlyArray<string>
  readonly resources?: ReadonlyArray<string>
  readonly resourceNames?: ReadonlyArray<string>
  readonly nonResourceURLs?: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<string>
}

const read = ["get", "list", "watch"]
const write = ["create", "delete", "deletecollection", "patch", "update"]

const rule = (apiGroup: string, resources: string, verbs: ReadonlyArray<string>): PolicyRule => ({
  apiGroups: [apiGroup],
  resources: resources.split(" "),
  verbs
})

const core =
  "configmaps endpoints events limitranges namespaces persistentvolumeclaims persistentvolumeclaims/status pods " +
  "pods/log pods/status resourcequotas resourcequotas/status serviceaccounts services services/status"
const apps =
  "deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets " +
  "statefulsets/scale statefulsets/status"
const batch = "cronjobs cronjobs/status jobs jobs/status"
const networking = "ingresses ingresses/status networkpolicies"

/** Read access to most resources of a namespace, without secrets, roles and bindings. */
const view: ReadonlyArray<PolicyRule> = [
  rule("", core, read),
  rule("apps", apps, read),
  rule("batch", batch, read),
  rule("networking.k8s.io", networking, read),
  rule("discovery.k8s.io", "endpointslices", read)
]

const edit: ReadonlyArray<PolicyRule> = [
  rule("", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy", read),
  rule("", "serviceaccounts", ["impersonate"]),
  rule("", "pods pods/attach pods/exec pods/portforward pods/proxy", write),
  rule("", "pods/eviction serviceaccounts/token", ["create"]),
  rule("", "configmaps events persistentvolumeclaims secrets serviceaccounts services services/proxy", write),
  rule("apps", "deployments deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale", write),
  rule("batch", "cronjobs jobs", write),
  rule("networking.k8s.io", "ingresses networkpolicies", write),
  rule("coordination.k8s.io", "leases", [...read, ...write]),
  rule("apps", "daemonsets", write),
  rule("autoscaling", "horizontalpodautoscalers", write),
  rule("policy", "poddisruptionbudgets", write),
  // Kinds that this cluster does not serve.
  rule("", "replicationcontrollers replicationcontrollers/scale", write),
  rule("apps", "deployments/rollback", write),
  rule("extensions", "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies", write),
  rule("extensions", "replicasets replicasets/scale replicationcontrollers/scale", write),
  rule("resource.k8s.io", "resourceclaims resourceclaimtemplates", write)
]

const admin: ReadonlyArray<PolicyRule> = [
  rule("authorization.k8s.io", "localsubjectaccessreviews", ["create"]),
  rule("rbac.authorization.k8s.io", "rolebindings roles", [...read, ...write])
]

const everything: ReadonlyArray<PolicyRule> = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["*"] }
]

const discovery = ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz"]

/** An operator's roles for its own kinds are aggregated into the built-in role whose label they have. */
const aggregating = (name: string) => ({
  clusterRoleSelectors: [{ matchLabels: { [`rbac.authorization.k8s.io/aggregate-to-${name}`]: "true" } }]
})

interface BuiltInRole {
  readonly name: string
  readonly rules: ReadonlyArray<PolicyRule>
  readonly aggregationRule?: ReturnType<typeof aggregating>
}

/** The roles of every cluster. */
export const clusterRoles: ReadonlyArray<BuiltInRole> = [
  { name: "cluster-admin", rules: everything },
  { name: "admin", aggregationRule: aggregating("admin"), rules: [...view, ...edit, ...admin] },
  { name: "edit", aggregationRule: aggregating("edit"), rules: [...view, ...edit] },
  { name: "view", aggregationRule: aggregating("view"), rules: view },
  {
    name: "system:basic-user",
    rules: [
      rule("authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews", ["create"]),
      rule("authentication.k8s.io", "selfsubjectreviews", ["create"])
    ]
  },
  {
    name: "system:discovery",
    rules: [{ nonResourceURLs: [...discovery, "/version", "/version/"], verbs: ["get"] }]
  },
  {
    name: "system:public-info-viewer",
    rules: [{ nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"], verbs: ["get"] }]
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [{ nonResourceURLs: ["/.well-known/openid-configuration", "/openid/v1/jwks"], verbs: ["get"] }]
  }
]
