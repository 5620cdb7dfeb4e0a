import { type JsonObject, objectAt, objectsAt, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { kindsOf } from "./customResources.ts"
import { type Kind, resourceOf } from "./kinds.ts"
import { containersOf, isOver, totalOf } from "./pods.ts"
import { count, formatQuantity, minus, parseQuantity, plus, type Quantity, zero } from "./quantity.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { forbidden } from "./status.ts"
import { allOf, inNamespace, put } from "./store.ts"
import { Result } from "effect"

type Usage = Readonly<Record<string, Quantity>>

/** Kinds that a quota may also name without their group. */
const bare = new Set(["configmaps", "persistentvolumeclaims", "pods", "resourcequotas", "secrets", "services"])

const sides = ["requests", "limits"] as const

const podUsage = (pod: JsonObject): Usage => {
  const compute = sides.flatMap((side) =>
    ["cpu", "memory", "ephemeral-storage"]
      .map((resource) => [resource, totalOf(pod, side, resource)] as const)
      .filter(([resource, total]) => total.milli !== 0n || names(pod, side, resource))
      .flatMap(([resource, total]) => [
        [`${side}.${resource}`, total] as const,
        ...(side === "requests" ? [[resource, total] as const] : [])
      ])
  )
  return Object.fromEntries(compute)
}

const names = (pod: JsonObject, side: string, resource: string): boolean =>
  containersOf(pod).every((_) => objectAt(_, "resources", side)[resource] !== undefined)

const claimUsage = (claim: JsonObject): Usage => {
  const spec = objectAt(claim, "spec")
  const storage = parseQuantity(objectAt(spec, "resources", "requests")["storage"] ?? 0) ?? zero
  const storageClass = `${stringAt(spec, "storageClassName") ?? ""}.storageclass.storage.k8s.io`
  return {
    "requests.storage": storage,
    [`${storageClass}/requests.storage`]: storage,
    [`${storageClass}/persistentvolumeclaims`]: count(1)
  }
}

/** The usage of one object, in every unit that a quota can name. */
const usageOf = (resource: string, thing: JsonObject): Usage => {
  const counted = { [`count/${resource}`]: count(1), ...(bare.has(resource) ? { [resource]: count(1) } : {}) }
  if (resource === "pods") return isOver(thing) ? { "count/pods": count(1) } : { ...counted, ...podUsage(thing) }
  if (resource === "persistentvolumeclaims") return { ...counted, ...claimUsage(thing) }
  if (resource !== "services") return counted
  const type = stringAt(objectAt(thing, "spec"), "type")
  return {
    ...counted,
    ...(type === "LoadBalancer" ? { "services.loadbalancers": count(1) } : {}),
    ...(type === "LoadBalancer" || type === "NodePort" ? { "services.nodeports": count(1) } : {})
  }
}

const hardOf = (quota: JsonObject) => objectAt(quota, "spec", "hard")

/** Quota resources other than object counts. */
const measured: Readonly<Record<string, RegExp>> = {
  pods: /^(requests|limits)\.|^(cpu|memory|ephemeral-storage)$/,
  services: /^services\./,
  persistentvolumeclaims: /storage/
}

/** Whether objects of a resource can count against a quota. */
const counts = (resource: string, limited: ReadonlyArray<string>): boolean =>
  limited.some((_) => _ === resource || _ === `count/${resource}` || measured[resource]?.test(_) === true)

/**
 * Whether a quota applies to an object: a quota with scopes applies only to pods of those scopes. The priority
 * class is the only known scope.
 */
const covers = (quota: JsonObject, resource: string, thing: JsonObject): boolean =>
  objectsAt(quota, "spec", "scopeSelector", "matchExpressions").every((scope) => {
    if (resource !== "pods" || stringAt(scope, "scopeName") !== "PriorityClass") return false
    const own = stringAt(objectAt(thing, "spec"), "priorityClassName") ?? ""
    const values = scope["values"]
    const among = Array.isArray(values) && values.includes(own)
    switch (stringAt(scope, "operator")) {
      case "In":
        return among
      case "NotIn":
        return !among
      case "Exists":
        return own !== ""
      default:
        return own === ""
    }
  })

/** The namespace's usage of the limited resources. */
const usedOf = (state: KubernetesState, quota: Thing): Usage => {
  const limited = Object.keys(hardOf(quota))
  const counted = new Set(
    kindsOf(state)
      .map(resourceOf)
      .filter((_) => counts(_, limited))
  )
  const all = [...counted].flatMap((resource) =>
    inNamespace(state, resource, quota.metadata.namespace ?? "")
      .filter((_) => covers(quota, resource, _))
      .map((_) => usageOf(resource, _))
  )
  return Object.fromEntries(
    Object.keys(hardOf(quota)).map((name) => [name, all.reduce((sum, _) => plus(sum, _[name] ?? zero), zero)])
  )
}

const written = (usage: Usage): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(usage).map(([name, _]) => [name, formatQuantity(_)]))

/** The quota controller: updates `status` with the present usage, without delay. */
export const refreshQuotas = (state: KubernetesState, now: number): void => {
  for (const quota of allOf(state, "resourcequotas")) {
    const status = { hard: hardOf(quota), used: written(usedOf(state, quota)) }
    if (JSON.stringify(quota["status"]) !== JSON.stringify(status))
      put(state, "resourcequotas", { ...quota, status }, now)
  }
}

const listed = (usage: Usage): string =>
  Object.entries(written(usage))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(",")

const pick = (usage: Usage, keys: ReadonlyArray<string>): Usage =>
  Object.fromEntries(keys.map((_) => [_, usage[_] ?? zero]))

/** Whether the namespace's quotas allow an object, or its growth. An object that does not grow is not refused. */
export const checkQuotas = (state: KubernetesState, kind: Kind, after: Thing, before: Thing | null): Step<void> => {
  const resource = resourceOf(kind)
  const { name, namespace = "" } = after.metadata
  const wanted = usageOf(resource, after)
  const held = before === null ? {} : usageOf(resource, before)
  for (const quota of inNamespace(state, "resourcequotas", namespace)) {
    if (!covers(quota, resource, after)) continue
    const hard = hardOf(quota)
    const unsaid = resource === "pods" && before === null ? unnamed(after, Object.keys(hard)) : ""
    if (unsaid !== "") return forbidden(kind, name, `failed quota: ${quota.metadata.name}: must specify ${unsaid}`)
    const growing = Object.keys(hard).filter((_) => minus(wanted[_] ?? zero, held[_] ?? zero).milli > 0n)
    if (growing.length === 0) continue
    const used = usedOf(state, quota)
    const over = growing.filter((_) => {
      const growth = minus(wanted[_] ?? zero, held[_] ?? zero)
      const limit = parseQuantity(hard[_]) ?? zero
      return (used[_] ?? zero).milli + growth.milli > limit.milli
    })
    if (over.length === 0) continue
    const growth = Object.fromEntries(over.map((_) => [_, minus(wanted[_] ?? zero, held[_] ?? zero)]))
    const limits = Object.fromEntries(over.map((_) => [_, parseQuantity(hard[_]) ?? zero]))
    return forbidden(
      kind,
      name,
      `exceeded quota: ${quota.metadata.name}, requested: ${listed(growth)}, used: ${listed(pick(used, over))}, ` +
        `limited: ${listed(limits)}`
    )
  }
  return Result.void
}

/** Every container of a pod must specify the resources that a quota limits. */
const unnamed = (pod: Thing, limited: ReadonlyArray<string>): string =>
  limited
    .toSorted()
    .flatMap((_) => {
      const [side = "", resource = ""] = _.includes(".") ? _.split(".") : ["requests", _]
      if (!["cpu", "memory"].includes(resource) || !["requests", "limits"].includes(side)) return []
      const silent = containersOf(pod).filter((one) => objectAt(one, "resources", side)[resource] === undefined)
      return silent.length === 0 ? [] : [`${_} for: ${silent.map((one) => String(one["name"])).join(",")}`]
    })
    .join("; ")
