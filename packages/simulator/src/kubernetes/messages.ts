/**
 * Protobuf messages of the API: those that typed clients send for the common kinds. A field is a number, a name
 * and a type (text by default); `*` is a list, `{}` a map by text, `none` is skipped. The numbers are those of
 * the `generated.proto` of each API group.
 */
export const messages: Readonly<Record<string, string>> = {
  ObjectMeta:
    "1 name, 2 generateName, 3 namespace, 5 uid, 6 resourceVersion, 7 generation:int, 8 creationTimestamp:Time, 9 deletionTimestamp:Time, 10 deletionGracePeriodSeconds:int, 11 labels{}, 12 annotations{}, 13 ownerReferences:OwnerReference*, 14 finalizers*, 17 managedFields:ManagedFieldsEntry*",
  ManagedFieldsEntry:
    "1 manager, 2 operation, 3 apiVersion, 4 time:Time, 6 fieldsType, 7 fieldsV1:FieldsV1, 8 subresource",
  OwnerReference: "1 kind, 3 name, 4 uid, 5 apiVersion, 6 controller:bool, 7 blockOwnerDeletion:bool",
  LabelSelector: "1 matchLabels{}, 2 matchExpressions:LabelSelectorRequirement*",
  LabelSelectorRequirement: "1 key, 2 operator, 3 values*",
  DeleteOptions:
    "1 gracePeriodSeconds:int, 2 preconditions:Preconditions, 3 orphanDependents:bool, 4 propagationPolicy, 5 dryRun*",
  Preconditions: "1 uid, 2 resourceVersion",
  Namespace: "1 metadata:ObjectMeta, 2 spec:NamespaceSpec, 3 status:none",
  NamespaceSpec: "1 finalizers*",
  ConfigMap: "1 metadata:ObjectMeta, 2 data{}, 3 binaryData:bytes{}, 4 immutable:bool",
  Secret: "1 metadata:ObjectMeta, 2 data:bytes{}, 3 type, 4 stringData{}, 5 immutable:bool",
  ServiceAccount:
    "1 metadata:ObjectMeta, 3 imagePullSecrets:LocalObjectReference*, 4 automountServiceAccountToken:bool",
  LocalObjectReference: "1 name",
  Pod: "1 metadata:ObjectMeta, 2 spec:PodSpec, 3 status:none",
  PodSpec:
    "2 containers:Container*, 3 restartPolicy, 4 terminationGracePeriodSeconds:int, 5 activeDeadlineSeconds:int, 6 dnsPolicy, 7 nodeSelector{}, 8 serviceAccountName, 9 serviceAccount, 10 nodeName, 15 imagePullSecrets:LocalObjectReference*, 16 hostname, 17 subdomain, 19 schedulerName, 20 initContainers:Container*, 30 enableServiceLinks:bool",
  PodTemplateSpec: "1 metadata:ObjectMeta, 2 spec:PodSpec",
  Container:
    "1 name, 2 image, 3 command*, 4 args*, 5 workingDir, 6 ports:ContainerPort*, 7 env:EnvVar*, 8 resources:ResourceRequirements, 9 volumeMounts:VolumeMount*, 13 terminationMessagePath, 14 imagePullPolicy, 16 stdin:bool, 17 stdinOnce:bool, 18 tty:bool, 20 terminationMessagePolicy",
  ContainerPort: "1 name, 2 hostPort:int, 3 containerPort:int, 4 protocol, 5 hostIP",
  EnvVar: "1 name, 2 value",
  ResourceRequirements: "1 limits:Quantity{}, 2 requests:Quantity{}",
  VolumeMount: "1 name, 2 readOnly:bool, 3 mountPath, 4 subPath",
  Service: "1 metadata:ObjectMeta, 2 spec:ServiceSpec, 3 status:none",
  ServiceSpec:
    "1 ports:ServicePort*, 2 selector{}, 3 clusterIP, 4 type, 5 externalIPs*, 7 sessionAffinity, 8 loadBalancerIP, 10 externalName, 18 clusterIPs*",
  ServicePort: "1 name, 2 protocol, 3 port:int, 4 targetPort:IntOrString, 5 nodePort:int",
  ResourceQuota: "1 metadata:ObjectMeta, 2 spec:ResourceQuotaSpec, 3 status:none",
  ResourceQuotaSpec: "1 hard:Quantity{}",
  Deployment: "1 metadata:ObjectMeta, 2 spec:DeploymentSpec, 3 status:none",
  DeploymentSpec:
    "1 replicas:int, 2 selector:LabelSelector, 3 template:PodTemplateSpec, 4 strategy:DeploymentStrategy, 5 minReadySeconds:int, 6 revisionHistoryLimit:int, 7 paused:bool, 9 progressDeadlineSeconds:int",
  DeploymentStrategy: "1 type, 2 rollingUpdate:RollingUpdateDeployment",
  RollingUpdateDeployment: "1 maxUnavailable:IntOrString, 2 maxSurge:IntOrString",
  Scale: "1 metadata:ObjectMeta, 2 spec:ScaleSpec, 3 status:none",
  ScaleSpec: "1 replicas:int",
  Lease: "1 metadata:ObjectMeta, 2 spec:LeaseSpec",
  LeaseSpec:
    "1 holderIdentity, 2 leaseDurationSeconds:int, 3 acquireTime:MicroTime, 4 renewTime:MicroTime, 5 leaseTransitions:int, 6 strategy:none, 7 preferredHolder:none",
  Event:
    "1 metadata:ObjectMeta, 2 involvedObject:ObjectReference, 3 reason, 4 message, 5 source:EventSource, 6 firstTimestamp:Time, 7 lastTimestamp:Time, 8 count:int, 9 type, 10 eventTime:MicroTime, 12 action, 13 related:ObjectReference, 14 reportingComponent, 15 reportingInstance",
  EventSource: "1 component, 2 host",
  ObjectReference: "1 kind, 2 namespace, 3 name, 4 uid, 5 apiVersion, 6 resourceVersion, 7 fieldPath",
  Job: "1 metadata:ObjectMeta, 2 spec:JobSpec, 3 status:none",
  JobSpec:
    "1 parallelism:int, 2 completions:int, 3 activeDeadlineSeconds:int, 4 selector:LabelSelector, 6 template:PodTemplateSpec, 7 backoffLimit:int, 8 ttlSecondsAfterFinished:int, 9 completionMode, 10 suspend:bool",
  CronJob: "1 metadata:ObjectMeta, 2 spec:CronJobSpec, 3 status:none",
  CronJobSpec:
    "1 schedule, 2 startingDeadlineSeconds:int, 3 concurrencyPolicy, 4 suspend:bool, 5 jobTemplate:JobTemplateSpec, 6 successfulJobsHistoryLimit:int, 7 failedJobsHistoryLimit:int, 8 timeZone",
  JobTemplateSpec: "1 metadata:ObjectMeta, 2 spec:JobSpec",
  Role: "1 metadata:ObjectMeta, 2 rules:PolicyRule*",
  ClusterRole: "1 metadata:ObjectMeta, 2 rules:PolicyRule*",
  RoleBinding: "1 metadata:ObjectMeta, 2 subjects:Subject*, 3 roleRef:RoleRef",
  ClusterRoleBinding: "1 metadata:ObjectMeta, 2 subjects:Subject*, 3 roleRef:RoleRef",
  PolicyRule: "1 verbs*, 2 apiGroups*, 3 resources*, 4 resourceNames*, 5 nonResourceURLs*",
  RoleRef: "1 apiGroup, 2 kind, 3 name",
  Subject: "1 kind, 2 apiGroup, 3 name, 4 namespace",
  SelfSubjectAccessReview: "1 metadata:ObjectMeta, 2 spec:SelfSubjectAccessReviewSpec, 3 status:none",
  SelfSubjectAccessReviewSpec: "1 resourceAttributes:ResourceAttributes, 2 nonResourceAttributes:NonResourceAttributes",
  ResourceAttributes: "1 namespace, 2 verb, 3 group, 4 version, 5 resource, 6 subresource, 7 name",
  NonResourceAttributes: "1 path, 2 verb",
  SelfSubjectRulesReview: "1 metadata:ObjectMeta, 2 spec:SelfSubjectRulesReviewSpec, 3 status:none",
  SelfSubjectRulesReviewSpec: "1 namespace",
  SelfSubjectReview: "1 metadata:ObjectMeta, 2 status:none",
  TokenRequest: "1 metadata:ObjectMeta, 2 spec:TokenRequestSpec, 3 status:none",
  TokenRequestSpec: "1 audiences*, 4 expirationSeconds:int",
  Eviction: "1 metadata:ObjectMeta, 2 deleteOptions:DeleteOptions"
}
