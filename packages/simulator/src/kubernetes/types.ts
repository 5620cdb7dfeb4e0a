/**
 * The types of the built-in kinds, as an API server of 1.34.3 describes them; alike.test.ts compares them with one and
 * says how they are written anew. A field is a name, marks, and a type after the colon:
 *
 * - `!` a struct that is never absent, `*` a required field: both are in an object without content
 * - `$` strategic merges keep only the keys that the patch names in `$retainKeys`
 * - `[]` an atomic list, `[=]` a set, `[name]` a list that is merged by the keys in the brackets
 * - `{}` a map, `{@}` one that is owned as a whole
 * - `=TCP` the default
 *
 * A type that begins with `@` is owned as a whole.
 */
export const types: Readonly<Record<string, string>> = {
  AWSElasticBlockStoreVolumeSource: "fsType:string partition:int32 readOnly:bool volumeID*:string",
  Affinity: "nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity",
  AggregationRule: "clusterRoleSelectors[]:LabelSelector",
  AppArmorProfile: "localhostProfile:string type*:string",
  AttachedVolume: "devicePath*:string name*:string",
  AzureDiskVolumeSource:
    "cachingMode:string=ReadWrite diskName*:string diskURI*:string fsType:string=ext4 kind:string=Shared readOnly:bool",
  AzureFileVolumeSource: "readOnly:bool secretName*:string shareName*:string",
  CSIVolumeSource:
    "driver*:string fsType:string nodePublishSecretRef:LocalObjectReference readOnly:bool volumeAttributes{}:string",
  Capabilities: "add[]:string drop[]:string",
  CephFSVolumeSource:
    "monitors*[]:string path:string readOnly:bool secretFile:string secretRef:LocalObjectReference user:string",
  CinderVolumeSource: "fsType:string readOnly:bool secretRef:LocalObjectReference volumeID*:string",
  ClientIPConfig: "timeoutSeconds:int32",
  ClusterRole: "aggregationRule:AggregationRule apiVersion:string kind:string metadata!:ObjectMeta rules[]:PolicyRule",
  ClusterRoleBinding: "apiVersion:string kind:string metadata!:ObjectMeta roleRef!*:RoleRef subjects[]:Subject",
  ClusterTrustBundleProjection: "labelSelector:LabelSelector name:string optional:bool path*:string signerName:string",
  Condition:
    "lastTransitionTime*:time message*:string observedGeneration:int64 reason*:string status*:string type*:string",
  ConfigMap: "apiVersion:string binaryData{}:bytes data{}:string immutable:bool kind:string metadata!:ObjectMeta",
  ConfigMapEnvSource: "name:string optional:bool",
  ConfigMapKeySelector: "@ key*:string name:string optional:bool",
  ConfigMapNodeConfigSource:
    "kubeletConfigKey*:string name*:string namespace*:string resourceVersion:string uid:string",
  ConfigMapProjection: "items[]:KeyToPath name:string optional:bool",
  ConfigMapVolumeSource: "defaultMode:int32 items[]:KeyToPath name:string optional:bool",
  Container:
    "args[]:string command[]:string env[name]:EnvVar envFrom[]:EnvFromSource image:string imagePullPolicy:string lifecycle:Lifecycle livenessProbe:Probe name*:string ports[containerPort,protocol]:ContainerPort readinessProbe:Probe resizePolicy[]:ContainerResizePolicy resources!:ResourceRequirements restartPolicy:string restartPolicyRules[]:ContainerRestartRule securityContext:SecurityContext startupProbe:Probe stdin:bool stdinOnce:bool terminationMessagePath:string terminationMessagePolicy:string tty:bool volumeDevices[devicePath]:VolumeDevice volumeMounts[mountPath]:VolumeMount workingDir:string",
  ContainerExtendedResourceRequest: "containerName*:string requestName*:string resourceName*:string",
  ContainerImage: "names[]:string sizeBytes:int64",
  ContainerPort: "containerPort*:int32 hostIP:string hostPort:int32 name:string protocol:string=TCP",
  ContainerResizePolicy: "resourceName*:string restartPolicy*:string",
  ContainerResourceMetricSource: "container*:string name*:string target!*:MetricTarget",
  ContainerResourceMetricStatus: "container*:string current!*:MetricValueStatus name*:string",
  ContainerRestartRule: "action*:string exitCodes:ContainerRestartRuleOnExitCodes",
  ContainerRestartRuleOnExitCodes: "operator*:string values[=]:int32",
  ContainerState: "running:ContainerStateRunning terminated:ContainerStateTerminated waiting:ContainerStateWaiting",
  ContainerStateRunning: "startedAt:time",
  ContainerStateTerminated:
    "containerID:string exitCode*:int32 finishedAt:time message:string reason:string signal:int32 startedAt:time",
  ContainerStateWaiting: "message:string reason:string",
  ContainerStatus:
    "allocatedResources{}:quantity allocatedResourcesStatus[name]:ResourceStatus containerID:string image*:string imageID*:string lastState!:ContainerState name*:string ready*:bool resources:ResourceRequirements restartCount*:int32 started:bool state!:ContainerState stopSignal:string user:ContainerUser volumeMounts[mountPath]:VolumeMountStatus",
  ContainerUser: "linux:LinuxContainerUser",
  CronJob: "apiVersion:string kind:string metadata!:ObjectMeta spec!:CronJobSpec status!:CronJobStatus",
  CronJobSpec:
    "concurrencyPolicy:string failedJobsHistoryLimit:int32 jobTemplate!*:JobTemplateSpec schedule*:string startingDeadlineSeconds:int64 successfulJobsHistoryLimit:int32 suspend:bool timeZone:string",
  CronJobStatus: "active[]:ObjectReference lastScheduleTime:time lastSuccessfulTime:time",
  CrossVersionObjectReference: "apiVersion:string kind*:string name*:string",
  CustomResourceColumnDefinition:
    "description:string format:string jsonPath*:string name*:string priority:int32 type*:string",
  CustomResourceConversion: "strategy*:string webhook:WebhookConversion",
  CustomResourceDefinition:
    "apiVersion:string kind:string metadata!:ObjectMeta spec!*:CustomResourceDefinitionSpec status!:CustomResourceDefinitionStatus",
  CustomResourceDefinitionCondition: "lastTransitionTime:time message:string reason:string status*:string type*:string",
  CustomResourceDefinitionNames:
    "categories[]:string kind*:string listKind:string plural*:string shortNames[]:string singular:string",
  CustomResourceDefinitionSpec:
    "conversion:CustomResourceConversion group*:string names!*:CustomResourceDefinitionNames preserveUnknownFields:bool scope*:string versions*[]:CustomResourceDefinitionVersion",
  CustomResourceDefinitionStatus:
    "acceptedNames!:CustomResourceDefinitionNames conditions[type]:CustomResourceDefinitionCondition storedVersions[]:string",
  CustomResourceDefinitionVersion:
    "additionalPrinterColumns[]:CustomResourceColumnDefinition deprecated:bool deprecationWarning:string name*:string schema:CustomResourceValidation selectableFields[]:SelectableField served*:bool storage*:bool subresources:CustomResourceSubresources",
  CustomResourceSubresourceScale: "labelSelectorPath:string specReplicasPath*:string statusReplicasPath*:string",
  CustomResourceSubresources: "scale:CustomResourceSubresourceScale status:any",
  CustomResourceValidation: "openAPIV3Schema:any",
  DaemonEndpoint: "Port*:int32",
  DaemonSet: "apiVersion:string kind:string metadata!:ObjectMeta spec!:DaemonSetSpec status!:DaemonSetStatus",
  DaemonSetCondition: "lastTransitionTime:time message:string reason:string status*:string type*:string",
  DaemonSetSpec:
    "minReadySeconds:int32 revisionHistoryLimit:int32 selector*:LabelSelector template!*:PodTemplateSpec updateStrategy!:DaemonSetUpdateStrategy",
  DaemonSetStatus:
    "collisionCount:int32 conditions[type]:DaemonSetCondition currentNumberScheduled*:int32 desiredNumberScheduled*:int32 numberAvailable:int32 numberMisscheduled*:int32 numberReady*:int32 numberUnavailable:int32 observedGeneration:int64 updatedNumberScheduled:int32",
  DaemonSetUpdateStrategy: "rollingUpdate:RollingUpdateDaemonSet type:string",
  Deployment: "apiVersion:string kind:string metadata!:ObjectMeta spec!:DeploymentSpec status!:DeploymentStatus",
  DeploymentCondition:
    "lastTransitionTime:time lastUpdateTime:time message:string reason:string status*:string type*:string",
  DeploymentSpec:
    "minReadySeconds:int32 paused:bool progressDeadlineSeconds:int32 replicas:int32 revisionHistoryLimit:int32 selector*:LabelSelector strategy!$:DeploymentStrategy template!*:PodTemplateSpec",
  DeploymentStatus:
    "availableReplicas:int32 collisionCount:int32 conditions[type]:DeploymentCondition observedGeneration:int64 readyReplicas:int32 replicas:int32 terminatingReplicas:int32 unavailableReplicas:int32 updatedReplicas:int32",
  DeploymentStrategy: "rollingUpdate:RollingUpdateDeployment type:string",
  DownwardAPIProjection: "items[]:DownwardAPIVolumeFile",
  DownwardAPIVolumeFile: "fieldRef:ObjectFieldSelector mode:int32 path*:string resourceFieldRef:ResourceFieldSelector",
  DownwardAPIVolumeSource: "defaultMode:int32 items[]:DownwardAPIVolumeFile",
  EmptyDirVolumeSource: "medium:string sizeLimit:quantity",
  Endpoint:
    "addresses*[=]:string conditions!:EndpointConditions deprecatedTopology{}:string hints:EndpointHints hostname:string nodeName:string targetRef:ObjectReference zone:string",
  EndpointAddress: "@ hostname:string ip*:string nodeName:string targetRef:ObjectReference",
  EndpointConditions: "ready:bool serving:bool terminating:bool",
  EndpointHints: "forNodes[]:ForNode forZones[]:ForZone",
  EndpointPort: "@ appProtocol:string name:string port*:int32 protocol:string",
  EndpointSlice:
    "addressType*:string apiVersion:string endpoints*[]:Endpoint kind:string metadata!:ObjectMeta ports[]:discovery.EndpointPort",
  EndpointSubset: "addresses[]:EndpointAddress notReadyAddresses[]:EndpointAddress ports[]:EndpointPort",
  Endpoints: "apiVersion:string kind:string metadata!:ObjectMeta subsets[]:EndpointSubset",
  EnvFromSource: "configMapRef:ConfigMapEnvSource prefix:string secretRef:SecretEnvSource",
  EnvVar: "name*:string value:string valueFrom:EnvVarSource",
  EnvVarSource:
    "configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector",
  EphemeralContainer:
    "args[]:string command[]:string env[name]:EnvVar envFrom[]:EnvFromSource image:string imagePullPolicy:string lifecycle:Lifecycle livenessProbe:Probe name*:string ports[containerPort,protocol]:ContainerPort readinessProbe:Probe resizePolicy[]:ContainerResizePolicy resources!:ResourceRequirements restartPolicy:string restartPolicyRules[]:ContainerRestartRule securityContext:SecurityContext startupProbe:Probe stdin:bool stdinOnce:bool targetContainerName:string terminationMessagePath:string terminationMessagePolicy:string tty:bool volumeDevices[devicePath]:VolumeDevice volumeMounts[mountPath]:VolumeMount workingDir:string",
  EphemeralVolumeSource: "volumeClaimTemplate:PersistentVolumeClaimTemplate",
  Event:
    "action:string apiVersion:string count:int32 eventTime:time firstTimestamp:time involvedObject!*:ObjectReference kind:string lastTimestamp:time message:string metadata!*:ObjectMeta reason:string related:ObjectReference reportingComponent:string reportingInstance:string series:EventSeries source!:EventSource type:string",
  EventSeries: "count:int32 lastObservedTime:time",
  EventSource: "component:string host:string",
  ExecAction: "command[]:string",
  ExternalMetricSource: "metric!*:MetricIdentifier target!*:MetricTarget",
  ExternalMetricStatus: "current!*:MetricValueStatus metric!*:MetricIdentifier",
  FCVolumeSource: "fsType:string lun:int32 readOnly:bool targetWWNs[]:string wwids[]:string",
  FieldSelectorAttributes: "rawSelector:string requirements[]:FieldSelectorRequirement",
  FieldSelectorRequirement: "key*:string operator*:string values[]:string",
  FileKeySelector: "@ key*:string optional:bool path*:string volumeName*:string",
  FlexVolumeSource: "driver*:string fsType:string options{}:string readOnly:bool secretRef:LocalObjectReference",
  FlockerVolumeSource: "datasetName:string datasetUUID:string",
  ForNode: "name*:string",
  ForZone: "name*:string",
  GCEPersistentDiskVolumeSource: "fsType:string partition:int32 pdName*:string readOnly:bool",
  GRPCAction: "port*:int32 service:string",
  GitRepoVolumeSource: "directory:string repository*:string revision:string",
  GlusterfsVolumeSource: "endpoints*:string path*:string readOnly:bool",
  HPAScalingPolicy: "periodSeconds*:int32 type*:string value*:int32",
  HPAScalingRules:
    "policies[]:HPAScalingPolicy selectPolicy:string stabilizationWindowSeconds:int32 tolerance:quantity",
  HTTPGetAction: "host:string httpHeaders[]:HTTPHeader path:string port*:intOrString scheme:string",
  HTTPHeader: "name*:string value*:string",
  HTTPIngressPath: "backend!*:IngressBackend path:string pathType*:string",
  HTTPIngressRuleValue: "paths*[]:HTTPIngressPath",
  HorizontalPodAutoscaler:
    "apiVersion:string kind:string metadata!:ObjectMeta spec!:HorizontalPodAutoscalerSpec status!:HorizontalPodAutoscalerStatus",
  HorizontalPodAutoscalerBehavior: "scaleDown:HPAScalingRules scaleUp:HPAScalingRules",
  HorizontalPodAutoscalerCondition: "lastTransitionTime:time message:string reason:string status*:string type*:string",
  HorizontalPodAutoscalerSpec:
    "behavior:HorizontalPodAutoscalerBehavior maxReplicas*:int32 metrics[]:MetricSpec minReplicas:int32 scaleTargetRef!*:CrossVersionObjectReference",
  HorizontalPodAutoscalerStatus:
    "conditions[type]:HorizontalPodAutoscalerCondition currentMetrics[]:MetricStatus currentReplicas:int32 desiredReplicas*:int32 lastScaleTime:time observedGeneration:int64",
  HostAlias: "hostnames[]:string ip*:string",
  HostIP: "ip*:string",
  HostPathVolumeSource: "path*:string type:string",
  IPBlock: "cidr*:string except[]:string",
  ISCSIVolumeSource:
    "chapAuthDiscovery:bool chapAuthSession:bool fsType:string initiatorName:string iqn*:string iscsiInterface:string=default lun*:int32 portals[]:string readOnly:bool secretRef:LocalObjectReference targetPortal*:string",
  ImageVolumeSource: "pullPolicy:string reference:string",
  Ingress: "apiVersion:string kind:string metadata!:ObjectMeta spec!:IngressSpec status!:IngressStatus",
  IngressBackend: "resource:TypedLocalObjectReference service:IngressServiceBackend",
  IngressLoadBalancerIngress: "hostname:string ip:string ports[]:IngressPortStatus",
  IngressLoadBalancerStatus: "ingress[]:IngressLoadBalancerIngress",
  IngressPortStatus: "error:string port*:int32 protocol*:string",
  IngressRule: "host:string http:HTTPIngressRuleValue",
  IngressServiceBackend: "name*:string port!:ServiceBackendPort",
  IngressSpec: "defaultBackend:IngressBackend ingressClassName:string rules[]:IngressRule tls[]:IngressTLS",
  IngressStatus: "loadBalancer!:IngressLoadBalancerStatus",
  IngressTLS: "hosts[]:string secretName:string",
  Job: "apiVersion:string kind:string metadata!:ObjectMeta spec!:JobSpec status!:JobStatus",
  JobCondition: "lastProbeTime:time lastTransitionTime:time message:string reason:string status*:string type*:string",
  JobSpec:
    "activeDeadlineSeconds:int64 backoffLimit:int32 backoffLimitPerIndex:int32 completionMode:string completions:int32 managedBy:string manualSelector:bool maxFailedIndexes:int32 parallelism:int32 podFailurePolicy:PodFailurePolicy podReplacementPolicy:string selector:LabelSelector successPolicy:SuccessPolicy suspend:bool template!*:PodTemplateSpec ttlSecondsAfterFinished:int32",
  JobStatus:
    "active:int32 completedIndexes:string completionTime:time conditions[]:JobCondition failed:int32 failedIndexes:string ready:int32 startTime:time succeeded:int32 terminating:int32 uncountedTerminatedPods:UncountedTerminatedPods",
  JobTemplateSpec: "metadata!:ObjectMeta spec!:JobSpec",
  KeyToPath: "key*:string mode:int32 path*:string",
  LabelSelector: "@ matchExpressions[]:LabelSelectorRequirement matchLabels{}:string",
  LabelSelectorAttributes: "rawSelector:string requirements[]:LabelSelectorRequirement",
  LabelSelectorRequirement: "key*:string operator*:string values[]:string",
  Lease: "apiVersion:string kind:string metadata!:ObjectMeta spec!:LeaseSpec",
  LeaseSpec:
    "acquireTime:time holderIdentity:string leaseDurationSeconds:int32 leaseTransitions:int32 preferredHolder:string renewTime:time strategy:string",
  Lifecycle: "postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:string",
  LifecycleHandler: "exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction",
  LimitRange: "apiVersion:string kind:string metadata!:ObjectMeta spec!:LimitRangeSpec",
  LimitRangeItem:
    "default{}:quantity defaultRequest{}:quantity max{}:quantity maxLimitRequestRatio{}:quantity min{}:quantity type*:string",
  LimitRangeSpec: "limits*[]:LimitRangeItem",
  LinuxContainerUser: "gid*:int64 supplementalGroups[]:int64 uid*:int64",
  LoadBalancerIngress: "hostname:string ip:string ipMode:string ports[]:PortStatus",
  LoadBalancerStatus: "ingress[]:LoadBalancerIngress",
  LocalObjectReference: "@ name:string",
  ManagedFieldsEntry:
    "apiVersion:string fieldsType:string fieldsV1:any manager:string operation:string subresource:string time:time",
  MetricIdentifier: "name*:string selector:LabelSelector",
  MetricSpec:
    "containerResource:ContainerResourceMetricSource external:ExternalMetricSource object:ObjectMetricSource pods:PodsMetricSource resource:ResourceMetricSource type*:string",
  MetricStatus:
    "containerResource:ContainerResourceMetricStatus external:ExternalMetricStatus object:ObjectMetricStatus pods:PodsMetricStatus resource:ResourceMetricStatus type*:string",
  MetricTarget: "averageUtilization:int32 averageValue:quantity type*:string value:quantity",
  MetricValueStatus: "averageUtilization:int32 averageValue:quantity value:quantity",
  ModifyVolumeStatus: "status*:string targetVolumeAttributesClassName:string",
  NFSVolumeSource: "path*:string readOnly:bool server*:string",
  Namespace: "apiVersion:string kind:string metadata!:ObjectMeta spec!:NamespaceSpec status!:NamespaceStatus",
  NamespaceCondition: "lastTransitionTime:time message:string reason:string status*:string type*:string",
  NamespaceSpec: "finalizers[]:string",
  NamespaceStatus: "conditions[type]:NamespaceCondition phase:string",
  NetworkPolicy: "apiVersion:string kind:string metadata!:ObjectMeta spec!:NetworkPolicySpec",
  NetworkPolicyEgressRule: "ports[]:NetworkPolicyPort to[]:NetworkPolicyPeer",
  NetworkPolicyIngressRule: "from[]:NetworkPolicyPeer ports[]:NetworkPolicyPort",
  NetworkPolicyPeer: "ipBlock:IPBlock namespaceSelector:LabelSelector podSelector:LabelSelector",
  NetworkPolicyPort: "endPort:int32 port:intOrString protocol:string",
  NetworkPolicySpec:
    "egress[]:NetworkPolicyEgressRule ingress[]:NetworkPolicyIngressRule podSelector!:LabelSelector policyTypes[]:string",
  Node: "apiVersion:string kind:string metadata!:ObjectMeta spec!:NodeSpec status!:NodeStatus",
  NodeAddress: "address*:string type*:string",
  NodeAffinity:
    "preferredDuringSchedulingIgnoredDuringExecution[]:PreferredSchedulingTerm requiredDuringSchedulingIgnoredDuringExecution:NodeSelector",
  NodeCondition:
    "lastHeartbeatTime:time lastTransitionTime:time message:string reason:string status*:string type*:string",
  NodeConfigSource: "configMap:ConfigMapNodeConfigSource",
  NodeConfigStatus: "active:NodeConfigSource assigned:NodeConfigSource error:string lastKnownGood:NodeConfigSource",
  NodeDaemonEndpoints: "kubeletEndpoint!:DaemonEndpoint",
  NodeFeatures: "supplementalGroupsPolicy:bool",
  NodeRuntimeHandler: "features:NodeRuntimeHandlerFeatures name:string",
  NodeRuntimeHandlerFeatures: "recursiveReadOnlyMounts:bool userNamespaces:bool",
  NodeSelector: "@ nodeSelectorTerms*[]:NodeSelectorTerm",
  NodeSelectorRequirement: "key*:string operator*:string values[]:string",
  NodeSelectorTerm: "@ matchExpressions[]:NodeSelectorRequirement matchFields[]:NodeSelectorRequirement",
  NodeSpec:
    "configSource:NodeConfigSource externalID:string podCIDR:string podCIDRs[=]:string providerID:string taints[]:Taint unschedulable:bool",
  NodeStatus:
    "addresses[type]:NodeAddress allocatable{}:quantity capacity{}:quantity conditions[type]:NodeCondition config:NodeConfigStatus daemonEndpoints!:NodeDaemonEndpoints features:NodeFeatures images[]:ContainerImage nodeInfo!:NodeSystemInfo phase:string runtimeHandlers[]:NodeRuntimeHandler volumesAttached[]:AttachedVolume volumesInUse[]:string",
  NodeSwapStatus: "capacity:int64",
  NodeSystemInfo:
    "architecture*:string bootID*:string containerRuntimeVersion*:string kernelVersion*:string kubeProxyVersion*:string kubeletVersion*:string machineID*:string operatingSystem*:string osImage*:string swap:NodeSwapStatus systemUUID*:string",
  NonResourceAttributes: "path:string verb:string",
  NonResourceRule: "nonResourceURLs[]:string verbs*[]:string",
  ObjectFieldSelector: "@ apiVersion:string fieldPath*:string",
  ObjectMeta:
    "annotations{}:string creationTimestamp:time deletionGracePeriodSeconds:int64 deletionTimestamp:time finalizers[=]:string generateName:string generation:int64 labels{}:string managedFields[]:ManagedFieldsEntry name:string namespace:string ownerReferences[uid]:OwnerReference resourceVersion:string selfLink:string uid:string",
  ObjectMetricSource: "describedObject!*:CrossVersionObjectReference metric!*:MetricIdentifier target!*:MetricTarget",
  ObjectMetricStatus:
    "current!*:MetricValueStatus describedObject!*:CrossVersionObjectReference metric!*:MetricIdentifier",
  ObjectReference:
    "@ apiVersion:string fieldPath:string kind:string name:string namespace:string resourceVersion:string uid:string",
  OwnerReference: "@ apiVersion*:string blockOwnerDeletion:bool controller:bool kind*:string name*:string uid*:string",
  PersistentVolumeClaim:
    "apiVersion:string kind:string metadata!:ObjectMeta spec!:PersistentVolumeClaimSpec status!:PersistentVolumeClaimStatus",
  PersistentVolumeClaimCondition:
    "lastProbeTime:time lastTransitionTime:time message:string reason:string status*:string type*:string",
  PersistentVolumeClaimSpec:
    "accessModes[]:string dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference resources!:VolumeResourceRequirements selector:LabelSelector storageClassName:string volumeAttributesClassName:string volumeMode:string volumeName:string",
  PersistentVolumeClaimStatus:
    "accessModes[]:string allocatedResourceStatuses{}:string allocatedResources{}:quantity capacity{}:quantity conditions[type]:PersistentVolumeClaimCondition currentVolumeAttributesClassName:string modifyVolumeStatus:ModifyVolumeStatus phase:string",
  PersistentVolumeClaimTemplate: "metadata!:ObjectMeta spec!*:PersistentVolumeClaimSpec",
  PersistentVolumeClaimVolumeSource: "claimName*:string readOnly:bool",
  PhotonPersistentDiskVolumeSource: "fsType:string pdID*:string",
  Pod: "apiVersion:string kind:string metadata!:ObjectMeta spec!:PodSpec status!:PodStatus",
  PodAffinity:
    "preferredDuringSchedulingIgnoredDuringExecution[]:WeightedPodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution[]:PodAffinityTerm",
  PodAffinityTerm:
    "labelSelector:LabelSelector matchLabelKeys[]:string mismatchLabelKeys[]:string namespaceSelector:LabelSelector namespaces[]:string topologyKey*:string",
  PodAntiAffinity:
    "preferredDuringSchedulingIgnoredDuringExecution[]:WeightedPodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution[]:PodAffinityTerm",
  PodCertificateProjection:
    "certificateChainPath:string credentialBundlePath:string keyPath:string keyType*:string maxExpirationSeconds:int32 signerName*:string",
  PodCondition:
    "lastProbeTime:time lastTransitionTime:time message:string observedGeneration:int64 reason:string status*:string type*:string",
  PodDNSConfig: "nameservers[]:string options[]:PodDNSConfigOption searches[]:string",
  PodDNSConfigOption: "name:string value:string",
  PodDisruptionBudget:
    "apiVersion:string kind:string metadata!:ObjectMeta spec!:PodDisruptionBudgetSpec status!:PodDisruptionBudgetStatus",
  PodDisruptionBudgetSpec:
    "maxUnavailable:intOrString minAvailable:intOrString selector:LabelSelector unhealthyPodEvictionPolicy:string",
  PodDisruptionBudgetStatus:
    "conditions[type]:Condition currentHealthy*:int32 desiredHealthy*:int32 disruptedPods{}:time disruptionsAllowed*:int32 expectedPods*:int32 observedGeneration:int64",
  PodExtendedResourceClaimStatus: "requestMappings*[]:ContainerExtendedResourceRequest resourceClaimName*:string",
  PodFailurePolicy: "rules*[]:PodFailurePolicyRule",
  PodFailurePolicyOnExitCodesRequirement: "containerName:string operator*:string values*[=]:int32",
  PodFailurePolicyOnPodConditionsPattern: "status*:string type*:string",
  PodFailurePolicyRule:
    "action*:string onExitCodes:PodFailurePolicyOnExitCodesRequirement onPodConditions[]:PodFailurePolicyOnPodConditionsPattern",
  PodIP: "ip*:string",
  PodOS: "name*:string",
  PodReadinessGate: "conditionType*:string",
  PodResourceClaim: "name*:string resourceClaimName:string resourceClaimTemplateName:string",
  PodResourceClaimStatus: "name*:string resourceClaimName:string",
  PodSchedulingGate: "name*:string",
  PodSecurityContext:
    "appArmorProfile:AppArmorProfile fsGroup:int64 fsGroupChangePolicy:string runAsGroup:int64 runAsNonRoot:bool runAsUser:int64 seLinuxChangePolicy:string seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups[]:int64 supplementalGroupsPolicy:string sysctls[]:Sysctl windowsOptions:WindowsSecurityContextOptions",
  PodSpec:
    "activeDeadlineSeconds:int64 affinity:Affinity automountServiceAccountToken:bool containers*[name]:Container dnsConfig:PodDNSConfig dnsPolicy:string enableServiceLinks:bool ephemeralContainers[name]:EphemeralContainer hostAliases[ip]:HostAlias hostIPC:bool hostNetwork:bool hostPID:bool hostUsers:bool hostname:string hostnameOverride:string imagePullSecrets[name]:LocalObjectReference initContainers[name]:Container nodeName:string nodeSelector{@}:string os:PodOS overhead{}:quantity preemptionPolicy:string priority:int32 priorityClassName:string readinessGates[]:PodReadinessGate resourceClaims$[name]:PodResourceClaim resources:ResourceRequirements restartPolicy:string runtimeClassName:string schedulerName:string schedulingGates[name]:PodSchedulingGate securityContext:PodSecurityContext serviceAccount:string serviceAccountName:string setHostnameAsFQDN:bool shareProcessNamespace:bool subdomain:string terminationGracePeriodSeconds:int64 tolerations[]:Toleration topologySpreadConstraints[topologyKey,whenUnsatisfiable]:TopologySpreadConstraint volumes$[name]:Volume",
  PodStatus:
    "conditions[type]:PodCondition containerStatuses[]:ContainerStatus ephemeralContainerStatuses[]:ContainerStatus extendedResourceClaimStatus:PodExtendedResourceClaimStatus hostIP:string hostIPs[]:HostIP initContainerStatuses[]:ContainerStatus message:string nominatedNodeName:string observedGeneration:int64 phase:string podIP:string podIPs[ip]:PodIP qosClass:string reason:string resize:string resourceClaimStatuses$[name]:PodResourceClaimStatus startTime:time",
  PodTemplateSpec: "metadata!:ObjectMeta spec!:PodSpec",
  PodsMetricSource: "metric!*:MetricIdentifier target!*:MetricTarget",
  PodsMetricStatus: "current!*:MetricValueStatus metric!*:MetricIdentifier",
  PolicyRule: "apiGroups[]:string nonResourceURLs[]:string resourceNames[]:string resources[]:string verbs*[]:string",
  PortStatus: "error:string port*:int32 protocol*:string",
  PortworxVolumeSource: "fsType:string readOnly:bool volumeID*:string",
  PreferredSchedulingTerm: "preference!*:NodeSelectorTerm weight*:int32",
  Probe:
    "exec:ExecAction failureThreshold:int32 grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:int32 periodSeconds:int32 successThreshold:int32 tcpSocket:TCPSocketAction terminationGracePeriodSeconds:int64 timeoutSeconds:int32",
  ProjectedVolumeSource: "defaultMode:int32 sources[]:VolumeProjection",
  QuobyteVolumeSource: "group:string readOnly:bool registry*:string tenant:string user:string volume*:string",
  RBDVolumeSource:
    "fsType:string image*:string keyring:string=/etc/ceph/keyring monitors*[]:string pool:string=rbd readOnly:bool secretRef:LocalObjectReference user:string=admin",
  ReplicaSet: "apiVersion:string kind:string metadata!:ObjectMeta spec!:ReplicaSetSpec status!:ReplicaSetStatus",
  ReplicaSetCondition: "lastTransitionTime:time message:string reason:string status*:string type*:string",
  ReplicaSetSpec: "minReadySeconds:int32 replicas:int32 selector*:LabelSelector template!:PodTemplateSpec",
  ReplicaSetStatus:
    "availableReplicas:int32 conditions[type]:ReplicaSetCondition fullyLabeledReplicas:int32 observedGeneration:int64 readyReplicas:int32 replicas*:int32 terminatingReplicas:int32",
  ResourceAttributes:
    "fieldSelector:FieldSelectorAttributes group:string labelSelector:LabelSelectorAttributes name:string namespace:string resource:string subresource:string verb:string version:string",
  ResourceClaim: "name*:string request:string",
  ResourceFieldSelector: "@ containerName:string divisor:quantity resource*:string",
  ResourceHealth: "health:string resourceID*:string",
  ResourceMetricSource: "name*:string target!*:MetricTarget",
  ResourceMetricStatus: "current!*:MetricValueStatus name*:string",
  ResourceQuota:
    "apiVersion:string kind:string metadata!:ObjectMeta spec!:ResourceQuotaSpec status!:ResourceQuotaStatus",
  ResourceQuotaSpec: "hard{}:quantity scopeSelector:ScopeSelector scopes[]:string",
  ResourceQuotaStatus: "hard{}:quantity used{}:quantity",
  ResourceRequirements: "claims[name]:ResourceClaim limits{}:quantity requests{}:quantity",
  ResourceRule: "apiGroups[]:string resourceNames[]:string resources[]:string verbs*[]:string",
  ResourceStatus: "name*:string resources[resourceID]:ResourceHealth",
  Role: "apiVersion:string kind:string metadata!:ObjectMeta rules[]:PolicyRule",
  RoleBinding: "apiVersion:string kind:string metadata!:ObjectMeta roleRef!*:RoleRef subjects[]:Subject",
  RoleRef: "@ apiGroup*:string kind*:string name*:string",
  RollingUpdateDaemonSet: "maxSurge:intOrString maxUnavailable:intOrString",
  RollingUpdateDeployment: "maxSurge:intOrString maxUnavailable:intOrString",
  RollingUpdateStatefulSetStrategy: "maxUnavailable:intOrString partition:int32",
  SELinuxOptions: "level:string role:string type:string user:string",
  ScaleIOVolumeSource:
    "fsType:string=xfs gateway*:string protectionDomain:string readOnly:bool secretRef*:LocalObjectReference sslEnabled:bool storageMode:string=ThinProvisioned storagePool:string system*:string volumeName:string",
  ScopeSelector: "@ matchExpressions[]:ScopedResourceSelectorRequirement",
  ScopedResourceSelectorRequirement: "operator*:string scopeName*:string values[]:string",
  SeccompProfile: "localhostProfile:string type*:string",
  Secret:
    "apiVersion:string data{}:bytes immutable:bool kind:string metadata!:ObjectMeta stringData{}:string type:string",
  SecretEnvSource: "name:string optional:bool",
  SecretKeySelector: "@ key*:string name:string optional:bool",
  SecretProjection: "items[]:KeyToPath name:string optional:bool",
  SecretVolumeSource: "defaultMode:int32 items[]:KeyToPath optional:bool secretName:string",
  SecurityContext:
    "allowPrivilegeEscalation:bool appArmorProfile:AppArmorProfile capabilities:Capabilities privileged:bool procMount:string readOnlyRootFilesystem:bool runAsGroup:int64 runAsNonRoot:bool runAsUser:int64 seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions",
  SelectableField: "jsonPath*:string",
  SelfSubjectAccessReview:
    "apiVersion:string kind:string metadata!:ObjectMeta spec!*:SelfSubjectAccessReviewSpec status!:SubjectAccessReviewStatus",
  SelfSubjectAccessReviewSpec: "nonResourceAttributes:NonResourceAttributes resourceAttributes:ResourceAttributes",
  SelfSubjectReview: "apiVersion:string kind:string metadata!:ObjectMeta status!:SelfSubjectReviewStatus",
  SelfSubjectReviewStatus: "userInfo!:UserInfo",
  SelfSubjectRulesReview:
    "apiVersion:string kind:string metadata!:ObjectMeta spec!*:SelfSubjectRulesReviewSpec status!:SubjectRulesReviewStatus",
  SelfSubjectRulesReviewSpec: "namespace:string",
  Service: "apiVersion:string kind:string metadata!:ObjectMeta spec!:ServiceSpec status!:ServiceStatus",
  ServiceAccount:
    "apiVersion:string automountServiceAccountToken:bool imagePullSecrets[]:LocalObjectReference kind:string metadata!:ObjectMeta secrets[name]:ObjectReference",
  ServiceAccountTokenProjection: "audience:string expirationSeconds:int64 path*:string",
  ServiceBackendPort: "@ name:string number:int32",
  ServicePort: "appProtocol:string name:string nodePort:int32 port*:int32 protocol:string=TCP targetPort:intOrString",
  ServiceReference: "name*:string namespace*:string path:string port:int32",
  ServiceSpec:
    "allocateLoadBalancerNodePorts:bool clusterIP:string clusterIPs[]:string externalIPs[]:string externalName:string externalTrafficPolicy:string healthCheckNodePort:int32 internalTrafficPolicy:string ipFamilies[]:string ipFamilyPolicy:string loadBalancerClass:string loadBalancerIP:string loadBalancerSourceRanges[]:string ports[port,protocol]:ServicePort publishNotReadyAddresses:bool selector{@}:string sessionAffinity:string sessionAffinityConfig:SessionAffinityConfig trafficDistribution:string type:string",
  ServiceStatus: "conditions[type]:Condition loadBalancer!:LoadBalancerStatus",
  SessionAffinityConfig: "clientIP:ClientIPConfig",
  SleepAction: "seconds*:int64",
  StatefulSet: "apiVersion:string kind:string metadata!:ObjectMeta spec!:StatefulSetSpec status!:StatefulSetStatus",
  StatefulSetCondition: "lastTransitionTime:time message:string reason:string status*:string type*:string",
  StatefulSetOrdinals: "start:int32",
  StatefulSetPersistentVolumeClaimRetentionPolicy: "whenDeleted:string whenScaled:string",
  StatefulSetSpec:
    "minReadySeconds:int32 ordinals:StatefulSetOrdinals persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy:string replicas:int32 revisionHistoryLimit:int32 selector*:LabelSelector serviceName:string template!*:PodTemplateSpec updateStrategy!:StatefulSetUpdateStrategy volumeClaimTemplates[]:PersistentVolumeClaim",
  StatefulSetStatus:
    "availableReplicas:int32 collisionCount:int32 conditions[type]:StatefulSetCondition currentReplicas:int32 currentRevision:string observedGeneration:int64 readyReplicas:int32 replicas*:int32 updateRevision:string updatedReplicas:int32",
  StatefulSetUpdateStrategy: "rollingUpdate:RollingUpdateStatefulSetStrategy type:string",
  StorageClass:
    "allowVolumeExpansion:bool allowedTopologies[]:TopologySelectorTerm apiVersion:string kind:string metadata!:ObjectMeta mountOptions[]:string parameters{}:string provisioner*:string reclaimPolicy:string volumeBindingMode:string",
  StorageOSVolumeSource:
    "fsType:string readOnly:bool secretRef:LocalObjectReference volumeName:string volumeNamespace:string",
  Subject: "@ apiGroup:string kind*:string name*:string namespace:string",
  SubjectAccessReview:
    "apiVersion:string kind:string metadata!:ObjectMeta spec!*:SubjectAccessReviewSpec status!:SubjectAccessReviewStatus",
  SubjectAccessReviewSpec:
    "extra{}:[]string groups[]:string nonResourceAttributes:NonResourceAttributes resourceAttributes:ResourceAttributes uid:string user:string",
  SubjectAccessReviewStatus: "allowed*:bool denied:bool evaluationError:string reason:string",
  SubjectRulesReviewStatus:
    "evaluationError:string incomplete*:bool nonResourceRules*[]:NonResourceRule resourceRules*[]:ResourceRule",
  SuccessPolicy: "rules*[]:SuccessPolicyRule",
  SuccessPolicyRule: "succeededCount:int32 succeededIndexes:string",
  Sysctl: "name*:string value*:string",
  TCPSocketAction: "host:string port*:intOrString",
  Taint: "effect*:string key*:string timeAdded:time value:string",
  Toleration: "effect:string key:string operator:string tolerationSeconds:int64 value:string",
  TopologySelectorLabelRequirement: "key*:string values*[]:string",
  TopologySelectorTerm: "@ matchLabelExpressions[]:TopologySelectorLabelRequirement",
  TopologySpreadConstraint:
    "labelSelector:LabelSelector matchLabelKeys[]:string maxSkew*:int32 minDomains:int32 nodeAffinityPolicy:string nodeTaintsPolicy:string topologyKey*:string whenUnsatisfiable*:string",
  TypedLocalObjectReference: "@ apiGroup:string kind*:string name*:string",
  TypedObjectReference: "apiGroup:string kind*:string name*:string namespace:string",
  UncountedTerminatedPods: "failed[=]:string succeeded[=]:string",
  UserInfo: "extra{}:[]string groups[]:string uid:string username:string",
  Volume:
    "awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource flexVolume:FlexVolumeSource flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:ISCSIVolumeSource name*:string nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource scaleIO:ScaleIOVolumeSource secret:SecretVolumeSource storageos:StorageOSVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource",
  VolumeDevice: "devicePath*:string name*:string",
  VolumeMount:
    "mountPath*:string mountPropagation:string name*:string readOnly:bool recursiveReadOnly:string subPath:string subPathExpr:string",
  VolumeMountStatus: "mountPath*:string name*:string readOnly:bool recursiveReadOnly:string",
  VolumeProjection:
    "clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection",
  VolumeResourceRequirements: "limits{}:quantity requests{}:quantity",
  VsphereVirtualDiskVolumeSource: "fsType:string storagePolicyID:string storagePolicyName:string volumePath*:string",
  WebhookClientConfig: "caBundle:bytes service:ServiceReference url:string",
  WebhookConversion: "clientConfig:WebhookClientConfig conversionReviewVersions*[]:string",
  WeightedPodAffinityTerm: "podAffinityTerm!*:PodAffinityTerm weight*:int32",
  WindowsSecurityContextOptions:
    "gmsaCredentialSpec:string gmsaCredentialSpecName:string hostProcess:bool runAsUserName:string",
  "discovery.EndpointPort": "@ appProtocol:string name:string port:int32 protocol:string"
}
