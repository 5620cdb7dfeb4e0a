/** A kind of object with the parts of its path. */
export interface Kind {
  /** `v1`, `postgresql.cnpg.io/v1` */
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
}

const rbac = "rbac.authorization.k8s.io/v1"
const gatewayApi = "gateway.networking.k8s.io"
const cnpg = "postgresql.cnpg.io/v1"
const strimzi = "kafka.strimzi.io/v1"

/** The kinds that the gateway itself writes or reads. */
export const kinds = {
  namespace: { apiVersion: "v1", kind: "Namespace", plural: "namespaces" },
  serviceAccount: { apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts" },
  secret: { apiVersion: "v1", kind: "Secret", plural: "secrets" },
  event: { apiVersion: "v1", kind: "Event", plural: "events" },
  persistentVolumeClaim: { apiVersion: "v1", kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims" },
  resourceQuota: { apiVersion: "v1", kind: "ResourceQuota", plural: "resourcequotas" },
  limitRange: { apiVersion: "v1", kind: "LimitRange", plural: "limitranges" },
  roleBinding: { apiVersion: rbac, kind: "RoleBinding", plural: "rolebindings" },
  networkPolicy: { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", plural: "networkpolicies" },
  pod: { apiVersion: "v1", kind: "Pod", plural: "pods" },
  cluster: { apiVersion: cnpg, kind: "Cluster", plural: "clusters" },
  backup: { apiVersion: cnpg, kind: "Backup", plural: "backups" },
  scheduledBackup: { apiVersion: cnpg, kind: "ScheduledBackup", plural: "scheduledbackups" },
  kafka: { apiVersion: strimzi, kind: "Kafka", plural: "kafkas" },
  kafkaNodePool: { apiVersion: strimzi, kind: "KafkaNodePool", plural: "kafkanodepools" },
  service: { apiVersion: "v1", kind: "Service", plural: "services" },
  endpointSlice: { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", plural: "endpointslices" },
  httpRoute: { apiVersion: `${gatewayApi}/v1`, kind: "HTTPRoute", plural: "httproutes" },
  referenceGrant: { apiVersion: `${gatewayApi}/v1beta1`, kind: "ReferenceGrant", plural: "referencegrants" },
  selfSubjectAccessReview: {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    plural: "selfsubjectaccessreviews"
  },
  subjectAccessReview: {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    plural: "subjectaccessreviews"
  }
} as const satisfies Readonly<Record<string, Kind>>
