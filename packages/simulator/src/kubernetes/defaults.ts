import { type JsonObject, objectAt, objectsAt, valueAt } from "../Json.ts"
import { canonical } from "./quantity.ts"

type Defaults = (object: JsonObject) => JsonObject

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
    ...(Array.isArray(given["ports"])
      ? { ports: objectsAt(given, "ports").map((_) => ({ protocol: "TCP", ..._ })) }
      : {}),
    resources: {
      ...objectAt(given, "resources"),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
      ...(Object.keys(requests).length === 0 ? {} : { requests })
    }
  }
}

const quantities = (given: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, canonical(value)]))

const podSpec: Defaults = (given) => ({
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: {},
  schedulerName: "default-scheduler",
  ...given,
  ...(Array.isArray(given["containers"]) ? { containers: objectsAt(given, "containers").map(container) } : {}),
  ...(Array.isArray(given["initContainers"])
    ? { initContainers: objectsAt(given, "initContainers").map(container) }
    : {})
})

const withSpec = (object: JsonObject, spec: JsonObject): JsonObject => ({ ...object, spec })

const templated = (object: JsonObject, defaults: JsonObject): JsonObject => {
  const spec = { ...defaults, ...objectAt(object, "spec") }
  const template = objectAt(spec, "template")
  return withSpec(object, { ...spec, template: { ...template, spec: podSpec(objectAt(template, "spec")) } })
}

const deployment: Defaults = (object) => {
  const strategy = objectAt(object, "spec", "strategy")
  const spec = { ...objectAt(object, "spec"), strategy: strategy["type"] === undefined ? rolling : strategy }
  return templated(withSpec(object, spec), { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })
}

const rolling = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } }

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
  const spec: JsonObject = {
    sessionAffinity: "None",
    type: "ClusterIP",
    internalTrafficPolicy: "Cluster",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    ...objectAt(object, "spec")
  }
  if (!Array.isArray(spec["ports"])) return withSpec(object, spec)
  const ports = objectsAt(spec, "ports").map((_) => ({ protocol: "TCP", targetPort: _["port"], ..._ }))
  return withSpec(object, { ...spec, ports })
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
  const spec = {
    concurrencyPolicy: "Allow",
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    ...objectAt(object, "spec")
  }
  return withSpec(object, spec)
}

const defaults: Readonly<Record<string, Defaults>> = {
  namespaces: (_) => ({
    ..._,
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active", ...objectAt(_, "status") }
  }),
  pods: (_) =>
    withSpec(_, { serviceAccountName: "default", enableServiceLinks: true, ...podSpec(objectAt(_, "spec")) }),
  secrets: secret,
  services: service,
  limitranges: limitRange,
  "deployments.apps": deployment,
  "statefulsets.apps": (_) =>
    templated(_, { replicas: 1, podManagementPolicy: "OrderedReady", revisionHistoryLimit: 10, serviceName: "" }),
  "replicasets.apps": (_) => templated(_, { replicas: 1 }),
  "jobs.batch": job,
  "cronjobs.batch": cronJob,
  [`rolebindings.${rbacGroup}`]: binding,
  [`clusterrolebindings.${rbacGroup}`]: binding
}

/** The API's defaulting, applied at every write before validation. */
export const defaulted = (resource: string, object: JsonObject): JsonObject => defaults[resource]?.(object) ?? object

const statuses: Readonly<Record<string, JsonObject>> = {
  pods: { phase: "Pending", qosClass: "BestEffort" },
  services: { loadBalancer: {} },
  persistentvolumeclaims: { phase: "Pending" },
  "deployments.apps": {},
  "statefulsets.apps": { replicas: 0, availableReplicas: 0 },
  "replicasets.apps": { replicas: 0 },
  "jobs.batch": {},
  "cronjobs.batch": {},
  "ingresses.networking.k8s.io": { loadBalancer: {} }
}

/** The initial status of a new object; the creator cannot set it. */
export const initialStatus = (resource: string): JsonObject | undefined => statuses[resource]
