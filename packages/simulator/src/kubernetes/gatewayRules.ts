import type { PolicyRule } from "./clusterRoles.ts"

/** What the platform's administrator lets the gateway's account do, and no more: docs/operators/kubernetes.md. */
export const gatewayRules: ReadonlyArray<PolicyRule> = [
  // Acting as callers.
  { apiGroups: [""], resources: ["users", "groups"], verbs: ["impersonate"] },
  { apiGroups: ["authentication.k8s.io"], resources: ["userextras/portico-credential"], verbs: ["impersonate"] },
  // Making the namespaces of tenants, and removing those of deleted ones.
  { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "create", "patch", "delete"] },
  {
    apiGroups: [""],
    resources: ["resourcequotas", "limitranges", "serviceaccounts"],
    verbs: ["get", "create", "patch"]
  },
  { apiGroups: ["rbac.authorization.k8s.io"], resources: ["rolebindings"], verbs: ["get", "create", "patch"] },
  { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: ["get", "create", "patch"] },
  // Where the API server is, as a source of network policies.
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list"] },
  {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["clusterroles"],
    resourceNames: ["view", "edit"],
    verbs: ["bind"]
  },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  // Which Secrets belong to managed databases, and the passwords and keys in them.
  { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch", "delete"] },
  // Managed databases.
  {
    apiGroups: ["postgresql.cnpg.io"],
    resources: ["clusters", "scheduledbackups"],
    verbs: ["get", "list", "create", "patch", "delete"]
  },
  { apiGroups: ["postgresql.cnpg.io"], resources: ["backups"], verbs: ["list"] },
  {
    apiGroups: ["kafka.strimzi.io"],
    resources: ["kafkas", "kafkanodepools"],
    verbs: ["get", "list", "create", "patch", "delete"]
  },
  { apiGroups: [""], resources: ["persistentvolumeclaims", "events"], verbs: ["list"] },
  // Exposures.
  { apiGroups: [""], resources: ["services"], verbs: ["get", "list", "create", "patch", "delete"] },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["create", "patch", "delete"] },
  {
    apiGroups: ["gateway.networking.k8s.io"],
    resources: ["httproutes"],
    verbs: ["get", "list", "create", "patch", "delete"]
  },
  {
    apiGroups: ["gateway.networking.k8s.io"],
    resources: ["referencegrants"],
    verbs: ["list", "create", "patch", "delete"]
  }
]
