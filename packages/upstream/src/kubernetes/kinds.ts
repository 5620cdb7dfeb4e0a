/** A kind of object, and how its path is spelled. */
export interface Kind {
  /** `v1`, `postgresql.cnpg.io/v1` */
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
}

const rbac = "rbac.authorization.k8s.io/v1"

/** The kinds that the gateway itself writes or reads. */
export const kinds = {
  namespace: { apiVersion: "v1", kind: "Namespace", plural: "namespaces" },
  serviceAccount: { apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts" },
  resourceQuota: { apiVersion: "v1", kind: "ResourceQuota", plural: "resourcequotas" },
  limitRange: { apiVersion: "v1", kind: "LimitRange", plural: "limitranges" },
  roleBinding: { apiVersion: rbac, kind: "RoleBinding", plural: "rolebindings" },
  subjectAccessReview: {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    plural: "subjectaccessreviews"
  }
} as const satisfies Readonly<Record<string, Kind>>
