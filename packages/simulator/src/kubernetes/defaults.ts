import { isObject, type JsonObject, objectAt, objectsAt, valueAt } from "../Json.ts"
import { canonical } from "./quantity.ts"
import { crdResource } from "./kinds.ts"

type Defaults = (object: JsonObject) => JsonObject

/** A list's items with their defaults, if there is a list. */
const each = (object: JsonObject, key: string, defaults: Defaults): JsonObject =>
  Array.isArray(object[key]) ? { [key]: objectsAt(object, key).map(defaults) } : {}

/** A struct's defaults, if it is there. */
const inside = (object: JsonObject, key: string, defaults: Defaults): JsonObject =>
  isObject(object[key]) ? { [key]: defaults(objectAt(object, key)) } : {}

const httpGet: Defaults = (_) => ({ path: "/", scheme: "HTTP", ..._ })

const probe: Defaults = (_) => ({
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
  ..._,
  ...inside(_, "httpGet", httpGet),
  ...inside(_, "grpc", (grpc) => ({ service: "", ...grpc }))
})

const handler: Defaults = (_) => ({ ..._, ...inside(_, "httpGet", httpGet) })

const lifecycle: Defaults = (_) => ({ ..._, ...inside(_, "postStart", handler), ...inside(_, "preStop", handler) })

const fieldRef: Defaults = (_) => ({ ..._, ...inside(_, "fieldRef", (ref) => ({ apiVersion: "v1", ...ref })) })

const container: Defaults = (given) => {
  const limits = quantities(objectAt(given, "resources", "limits"))
  // A limit without a request is also the request.
  const requests = { ...limits, ...quantities(objectAt(given, "resources", "requests")) }
  const image = String(given["image"] ?? "")
  const pull = /:[^/]+$/.test(image) && !image.endsWith(":latest") ? "IfNotPresent" : "Always"
  return {
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: pull,
    ...given,
    ...each(given, "ports", (_) => ({ protocol: "TCP", ..._ })),
    ...each(given, "env", (_) => ({ ..._, ...inside(_, "valueFrom", fieldRef) })),
    ...inside(given, "livenessProbe", probe),
    ...inside(given, "readinessProbe", probe),
    ...inside(given, "startupProbe", probe),
    ...inside(given, "lifecycle", lifecycle),
    resources: {
      ...objectAt(given, "resources"),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
      ...(Object.keys(requests).length === 0 ? {} : { requests })
    }
  }
}

const quantities = (given: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, canonical(value)]))

const mode: Defaults = (_) => ({ defaultMode: 420, ..._ })

const projection: Defaults = (_) => ({
  ..._,
  ...inside(_, "serviceAccountToken", (token) => ({ expirationSeconds: 3600, ...token })),
  ...inside(_, "downwardAPI", (api) => ({ ...api, ...each(api, "items", fieldRef) }))
})

const volume: Defaults = (_) => ({
  ..._,
  ...inside(_, "secret", mode),
  ...inside(_, "configMap", mode),
  ...inside(_, "downwardAPI", (api) => mode({ ...api, ...each(api, "items", fieldRef) })),
  ...inside(_, "projected", (all) => mode({ ...all, ...each(all, "sources", projection) })),
  ...inside(_, "hostPath", (path) => ({ type: "", ...path }))
})

const podSpec: Defaults = (given) => {
  const account = given["serviceAccountName"] ?? given["serviceAccount"]
  return {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
    ...given,
    ...(account === undefined ? {} : { serviceAccountName: account, serviceAccount: account }),
    ...each(given, "containers", container),
    ...each(given, "initContainers", container),
    ...each(given, "volumes", volume)
  }
}

const withSpec = (object: JsonObject, spec: JsonObject): JsonObject => ({ ...object, spec })

const template: Defaults = (_) => ({ ..._, spec: podSpec(objectAt(_, "spec")) })

const templated = (object: JsonObject, defaults: JsonObject): JsonObject => {
  const spec = { ...defaults, ...objectAt(object, "spec") }
  return withSpec(object, { ...spec, template: template(objectAt(spec, "template")) })
}

/** What is set of a strategy that has this type or none. */
const strategyOf = (given: JsonObject, type: string, rollingUpdate: JsonObject): JsonObject =>
  (given["type"] ?? type) === type
    ? { type, ...given, rollingUpdate: { ...rollingUpdate, ...objectAt(given, "rollingUpdate") } }
    : given

const deployment: Defaults = (object) => {
  const strategy = strategyOf(objectAt(object, "spec", "strategy"), "RollingUpdate", {
    maxUnavailable: "25%",
    maxSurge: "25%"
  })
  const spec = { ...objectAt(object, "spec"), strategy }
  return templated(withSpec(object, spec), { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })
}

const statefulSet: Defaults = (object) => {
  const given = objectAt(object, "spec")
  const spec = {
    ...given,
    updateStrategy: strategyOf(objectAt(given, "updateStrategy"), "RollingUpdate", { partition: 0 }),
    persistentVolumeClaimRetentionPolicy: {
      whenDeleted: "Retain",
      whenScaled: "Retain",
      ...objectAt(given, "persistentVolumeClaimRetentionPolicy")
    },
    ...each(given, "volumeClaimTemplates", (_) => ({
      kind: "PersistentVolumeClaim",
      apiVersion: "v1",
      ...claim(_),
      status: { phase: "Pending" }
    }))
  }
  return templated(withSpec(object, spec), {
    replicas: 1,
    podManagementPolicy: "OrderedReady",
    revisionHistoryLimit: 10,
    serviceName: ""
  })
}

const daemonSet: Defaults = (object) => {
  const strategy = strategyOf(objectAt(object, "spec", "updateStrategy"), "RollingUpdate", {
    maxUnavailable: 1,
    maxSurge: 0
  })
  const metadata = objectAt(object, "metadata")
  const annotations = { "deprecated.daemonset.template.generation": "1", ...objectAt(metadata, "annotations") }
  const spec = { ...objectAt(object, "spec"), updateStrategy: strategy }
  return templated({ ...withSpec(object, spec), metadata: { ...metadata, annotations } }, { revisionHistoryLimit: 10 })
}

const claim: Defaults = (_) => withSpec(_, { volumeMode: "Filesystem", ...objectAt(_, "spec") })

/** Policies for what leaves count when there are rules for it. */
const networkPolicy: Defaults = (object) => {
  const spec = objectAt(object, "spec")
  const policyTypes = ["Ingress", ...(objectsAt(spec, "egress").length === 0 ? [] : ["Egress"])]
  const rule: Defaults = (_) => ({ ..._, ...each(_, "ports", (port) => ({ protocol: "TCP", ...port })) })
  return withSpec(object, {
    policyTypes,
    podSelector: {},
    ...spec,
    ...each(spec, "ingress", rule),
    ...each(spec, "egress", rule)
  })
}

const autoscaler: Defaults = (object) => {
  const averageUtilization = { type: "Utilization", averageUtilization: 80 }
  const cpu = { type: "Resource", resource: { name: "cpu", target: averageUtilization } }
  return withSpec(object, { minReplicas: 1, metrics: [cpu], ...objectAt(object, "spec") })
}

/** `stringData` is write-only: it is merged into `data` and wins. */
const secret: Defaults = ({ stringData, ...rest }) => {
  const plain = Object.entries(objectAt(stringData)).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString("base64")
  ])
  const data = { ...objectAt(rest["data"]), ...Object.fromEntries(plain) }
  return { type: "Opaque", ...rest, ...(Object.keys(data).length === 0 ? {} : { data }) }
}

const service: Defaults = (object) => {
  const given = objectAt(object, "spec")
  const isExternal = given["type"] === "ExternalName"
  const isReachable = given["type"] === "NodePort" || given["type"] === "LoadBalancer"
  const spec: JsonObject = {
    sessionAffinity: "None",
    type: "ClusterIP",
    ...(isExternal ? {} : { internalTrafficPolicy: "Cluster" }),
    ...(isReachable ? { externalTrafficPolicy: "Cluster" } : {}),
    ...(given["type"] === "LoadBalancer" ? { allocateLoadBalancerNodePorts: true } : {}),
    ...given
  }
  return withSpec(object, {
    ...spec,
    ...each(spec, "ports", (_) => ({ protocol: "TCP", targetPort: _["port"], ..._ }))
  })
}

/** `default` sets limits, which in turn are the default of the requests. */
const limitRange: Defaults = (object) => {
  if (!Array.isArray(valueAt(object, "spec", "limits"))) return object
  const items = objectsAt(object, "spec", "limits").map((item) => {
    if (item["type"] !== "Container") return item
    const limit = { ...objectAt(item, "max"), ...objectAt(item, "default") }
    const request = { ...objectAt(item, "min"), ...limit, ...objectAt(item, "defaultRequest") }
    return {
      ...item,
      ...(Object.keys(limit).length === 0 ? {} : { default: limit }),
      ...(Object.keys(request).length === 0 ? {} : { defaultRequest: request })
    }
  })
  return withSpec(object, { limits: items })
}

const rbacGroup = "rbac.authorization.k8s.io"

const binding: Defaults = (object) => ({
  ...object,
  roleRef: { apiGroup: rbacGroup, ...objectAt(object, "roleRef") },
  ...(Array.isArray(object["subjects"])
    ? {
        subjects: objectsAt(object, "subjects").map((_) =>
          _["kind"] === "ServiceAccount" ? _ : { apiGroup: rbacGroup, ..._ }
        )
      }
    : {})
})

const job: Defaults = (object) =>
  templated(object, { backoffLimit: 6, completions: 1, parallelism: 1, completionMode: "NonIndexed", suspend: false })

const cronJob: Defaults = (object) => {
  const given = objectAt(object, "spec")
  const jobSpec = objectAt(given, "jobTemplate", "spec")
  const spec = {
    concurrencyPolicy: "Allow",
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    ...given,
    jobTemplate: {
      ...objectAt(given, "jobTemplate"),
      spec: { ...jobSpec, template: template(objectAt(jobSpec, "template")) }
    }
  }
  return withSpec(object, spec)
}

const defaults: Readonly<Record<string, Defaults>> = {
  namespaces: (_) => ({
    ..._,
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active", ...objectAt(_, "status") }
  }),
  pods: (_) => withSpec(_, { enableServiceLinks: true, ...podSpec(objectAt(_, "spec")) }),
  persistentvolumeclaims: claim,
  secrets: secret,
  services: service,
  limitranges: limitRange,
  "deployments.apps": deployment,
  "statefulsets.apps": statefulSet,
  "daemonsets.apps": daemonSet,
  "networkpolicies.networking.k8s.io": networkPolicy,
  "horizontalpodautoscalers.autoscaling": autoscaler,
  "replicasets.apps": (_) => templated(_, { replicas: 1 }),
  "jobs.batch": job,
  "cronjobs.batch": cronJob,
  [crdResource]: (_) => {
    const spec = objectAt(_, "spec")
    const names = objectAt(spec, "names")
    const kind = String(names["kind"] ?? "")
    return withSpec(_, {
      conversion: { strategy: "None" },
      ...spec,
      names: { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names }
    })
  },
  [`rolebindings.${rbacGroup}`]: binding,
  [`clusterrolebindings.${rbacGroup}`]: binding
}

/** The API's defaulting, applied at every write before validation. */
export const defaulted = (resource: string, object: JsonObject): JsonObject => defaults[resource]?.(object) ?? object

const statuses: Readonly<Record<string, JsonObject>> = {
  pods: { phase: "Pending" },
  services: { loadBalancer: {} },
  persistentvolumeclaims: { phase: "Pending" },
  "deployments.apps": {},
  "statefulsets.apps": { replicas: 0, availableReplicas: 0 },
  "replicasets.apps": { replicas: 0 },
  "daemonsets.apps": { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  "poddisruptionbudgets.policy": { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  "horizontalpodautoscalers.autoscaling": { desiredReplicas: 0, currentMetrics: null },
  "jobs.batch": {},
  "cronjobs.batch": {},
  "ingresses.networking.k8s.io": { loadBalancer: {} }
}

/** The initial status of a new object; the creator cannot set it. */
export const initialStatus = (resource: string): JsonObject | undefined => statuses[resource]
