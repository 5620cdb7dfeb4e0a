import { type JsonObject, objectAt, objectsAt, stringAt } from "../Json.ts"
import { Result } from "effect"
import type { Step } from "../Wire.ts"
import { builtInKind, type Kind, resourceOf } from "./kinds.ts"
import { containersOf } from "./pods.ts"
import { checkQuotas } from "./quotas.ts"
import { formatQuantity, parseQuantity } from "./quantity.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { forbidden, notFound } from "./status.ts"
import { find, inNamespace, withMeta } from "./store.ts"

/** Refuses a create in a namespace that does not exist or is terminating. */
const namespaceLives = (state: KubernetesState, kind: Kind, { metadata }: Thing): Step<void> => {
  if (metadata.namespace === undefined) return Result.void
  const { namespace } = metadata
  const found = find(state, "namespaces", undefined, namespace)
  if (found === undefined) return notFound(builtInKind("namespaces"), namespace)
  if (found.metadata.deletionTimestamp === undefined) return Result.void
  return forbidden(
    kind,
    metadata.name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace"
      }
    ]
  )
}

const hasAccount = (state: KubernetesState, kind: Kind, pod: Thing): Step<void> => {
  const namespace = pod.metadata.namespace ?? ""
  const name = stringAt(objectAt(pod, "spec"), "serviceAccountName") ?? "default"
  if (find(state, "serviceaccounts", namespace, name) !== undefined) return Result.void
  const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`
  return forbidden(kind, pod.metadata.name, why)
}

const limitsOf = (state: KubernetesState, namespace: string, type: string): ReadonlyArray<JsonObject> =>
  inNamespace(state, "limitranges", namespace).flatMap((_) =>
    objectsAt(_, "spec", "limits").filter((item) => item["type"] === type)
  )

/** Applies the defaults of the namespace's limit ranges to containers. */
const withDefaultResources = (state: KubernetesState, pod: Thing): Thing => {
  const ranges = limitsOf(state, pod.metadata.namespace ?? "", "Container")
  if (ranges.length === 0) return pod
  const notes: Array<string> = []
  const filled = (field: string, word: string) =>
    objectsAt(pod, "spec", field).map((container) => {
      const side = (name: "limits" | "requests", defaults: string, what: string) => {
        const given = objectAt(container, "resources", name)
        const lacking = ranges
          .flatMap((_) => Object.entries(objectAt(_, defaults)))
          .filter(([resource]) => given[resource] === undefined)
        const names = lacking.map(([resource]) => resource).toSorted()
        if (names.length > 0) notes.push(`${names.join(", ")} ${what} for ${word} ${String(container["name"])}`)
        return { ...Object.fromEntries(lacking), ...given }
      }
      const requests = side("requests", "defaultRequest", "request")
      const limits = side("limits", "default", "limit")
      return { ...container, resources: { ...objectAt(container, "resources"), requests, limits } }
    })
  const containers = filled("containers", "container")
  const initial = filled("initContainers", "init container")
  const note = { "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${notes.join("; ")}` }
  const annotated = notes.length === 0 ? pod : withMeta(pod, { annotations: { ...pod.metadata.annotations, ...note } })
  const spec = { ...objectAt(pod, "spec"), containers, ...(initial.length === 0 ? {} : { initContainers: initial }) }
  return { ...annotated, spec }
}

/** The messages of the limit ranger about values outside of one limit range. */
const outside = (item: JsonObject, type: string, resources: JsonObject): ReadonlyArray<string> => {
  const requests = objectAt(resources, "requests")
  const limits = objectAt(resources, "limits")
  const below = Object.entries(objectAt(item, "min")).flatMap(([name, least]) => {
    const value = parseQuantity(requests[name])
    const bound = parseQuantity(least)
    if (bound === undefined) return []
    const reason = `minimum ${name} usage per ${type} is ${String(least)}`
    if (value === undefined) return [`${reason}.  No request is specified`]
    return value.milli < bound.milli ? [`${reason}, but request is ${formatQuantity(value)}`] : []
  })
  const above = Object.entries(objectAt(item, "max")).flatMap(([name, most]) => {
    const claim = type === "PersistentVolumeClaim"
    const value = parseQuantity(claim ? requests[name] : limits[name])
    const bound = parseQuantity(most)
    if (bound === undefined) return []
    const reason = `maximum ${name} usage per ${type} is ${String(most)}`
    const side = claim ? "request" : "limit"
    if (value === undefined) return [`${reason}.  No ${side} is specified`]
    return value.milli > bound.milli ? [`${reason}, but ${side} is ${formatQuantity(value)}`] : []
  })
  return [...below, ...above]
}

const withinLimits = (state: KubernetesState, kind: Kind, thing: Thing): Step<void> => {
  const { name, namespace = "" } = thing.metadata
  const pod = resourceOf(kind) === "pods"
  const type = pod ? "Container" : "PersistentVolumeClaim"
  const parts = pod ? containersOf(thing) : [objectAt(thing, "spec")]
  const wrong = limitsOf(state, namespace, type).flatMap((item) =>
    parts.flatMap((part) => outside(item, type, objectAt(part, "resources")))
  )
  if (wrong.length === 0) return Result.void
  return forbidden(kind, name, wrong.length === 1 ? String(wrong[0]) : `[${wrong.join(", ")}]`)
}

const withAccount = (pod: Thing): Thing => {
  const spec = objectAt(pod, "spec")
  const name = stringAt(spec, "serviceAccountName") ?? "default"
  return { ...pod, spec: { ...spec, serviceAccountName: name, serviceAccount: name } }
}

/** The classes that every cluster has. */
const priorities: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000
}

const prioritized = (kind: Kind, pod: Thing): Step<Thing> => {
  const spec = objectAt(pod, "spec")
  const name = stringAt(spec, "priorityClassName") ?? ""
  const priority = name === "" ? 0 : priorities[name]
  if (priority === undefined) return forbidden(kind, pod.metadata.name, `no PriorityClass with name ${name} was found`)
  return Result.succeed({ ...pod, spec: { preemptionPolicy: "PreemptLowerPriority", ...spec, priority } })
}

/** How long a pod stays on a node that is not ready. */
const tolerant = (pod: Thing): Thing => {
  const spec = objectAt(pod, "spec")
  const given = objectsAt(spec, "tolerations")
  const missing = ["not-ready", "unreachable"]
    .map((_) => `node.kubernetes.io/${_}`)
    .filter((key) => !given.some((_) => (_["key"] ?? key) === key))
  const tolerations = missing.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }))
  return { ...pod, spec: { ...spec, tolerations: [...given, ...tolerations] } }
}

/** The quality of service class, which follows from the requests and the limits. */
const withClass = (pod: Thing): Thing => {
  const resources = ["containers", "initContainers"]
    .flatMap((_) => objectsAt(pod, "spec", _))
    .map((_) => objectAt(_, "resources"))
  const sides = resources.flatMap((_) => [objectAt(_, "requests"), objectAt(_, "limits")])
  const isGuaranteed = resources.every((_) =>
    ["cpu", "memory"].every((name) => {
      const limit = objectAt(_, "limits")[name]
      return limit !== undefined && (objectAt(_, "requests")[name] ?? limit) === limit
    })
  )
  const none = sides.every((_) => _["cpu"] === undefined && _["memory"] === undefined)
  const qosClass = none ? "BestEffort" : isGuaranteed ? "Guaranteed" : "Burstable"
  return { ...pod, status: { ...objectAt(pod, "status"), qosClass } }
}

/** The mutating admission plug-ins, which run before validation. */
export const admitCreate = (state: KubernetesState, kind: Kind, thing: Thing): Step<Thing> =>
  Result.gen(function* () {
    yield* namespaceLives(state, kind, thing)
    if (resourceOf(kind) !== "pods") return thing
    const limited = withDefaultResources(state, thing)
    yield* hasAccount(state, kind, limited)
    return withClass(tolerant(yield* prioritized(kind, withAccount(limited))))
  })

/** The violations of the `baseline` Pod Security Standard, as far as the simulator checks it. */
const againstBaseline = (pod: Thing): ReadonlyArray<string> => {
  const spec = objectAt(pod, "spec")
  const all = ["containers", "initContainers", "ephemeralContainers"].flatMap((_) => objectsAt(spec, _))
  const host = ["hostNetwork", "hostPID", "hostIPC"].filter((_) => spec[_] === true)
  const named = (some: ReadonlyArray<JsonObject>) => some.map((_) => `"${String(_["name"])}"`).join(", ")
  const privileged = all.filter((_) => objectAt(_, "securityContext")["privileged"] === true)
  const ports = all.filter((_) => objectsAt(_, "ports").some((port) => (port["hostPort"] ?? 0) !== 0))
  const volumes = objectsAt(spec, "volumes").filter((_) => _["hostPath"] !== undefined)
  return [
    ...(host.length === 0 ? [] : [`host namespaces (${host.map((_) => `${_}=true`).join(", ")})`]),
    ...(volumes.length === 0 ? [] : [`hostPath volumes (volume ${named(volumes)})`]),
    ...(privileged.length === 0
      ? []
      : [`privileged (container ${named(privileged)} must not set securityContext.privileged=true)`]),
    ...(ports.length === 0 ? [] : [`hostPort (container ${named(ports)} uses hostPorts)`])
  ]
}

/** The namespace's label sets the enforced standard. */
const isSecure = (state: KubernetesState, kind: Kind, pod: Thing): Step<void> => {
  const namespace = find(state, "namespaces", undefined, pod.metadata.namespace ?? "")
  const level = namespace?.metadata.labels?.["pod-security.kubernetes.io/enforce"] ?? "privileged"
  const wrong = level === "privileged" ? [] : againstBaseline(pod)
  if (wrong.length === 0) return Result.void
  return forbidden(kind, pod.metadata.name, `violates PodSecurity "${level}:latest": ${wrong.join(", ")}`)
}

/** The validating admission plug-ins, which run after validation; quotas are last. */
export const checkAdmission = (state: KubernetesState, kind: Kind, after: Thing, before: Thing | null): Step<void> =>
  Result.gen(function* () {
    const resource = resourceOf(kind)
    if (resource === "pods" && before === null) yield* isSecure(state, kind, after)
    if (resource === "persistentvolumeclaims" || (resource === "pods" && before === null)) {
      yield* withinLimits(state, kind, after)
    }
    if (after.metadata.namespace !== undefined) yield* checkQuotas(state, kind, after, before)
  })
