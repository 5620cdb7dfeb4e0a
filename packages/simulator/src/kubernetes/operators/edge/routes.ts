import { type JsonObject, numberAt, objectAt, objectsAt, stringAt, stringsAt } from "../../../Json.ts"
import { matchesLabels } from "../../selectors.ts"
import type { KubernetesState, Thing } from "../../state.ts"
import { find, inNamespace, allOf } from "../../store.ts"
import { type Condition, withCondition } from "../conditions.ts"
import { type Pass, writeStatus } from "../writes.ts"
import { listenersOf } from "./gatewayStatus.ts"
import { controllerName, gatewayClasses, gateways, httpRoutes, referenceGrants } from "./names.ts"

/** The parents that a route names. */
const parentRefsOf = (route: Thing): ReadonlyArray<JsonObject> => objectsAt(route, "spec", "parentRefs")

/** The gateway of a reference; undefined when it is no gateway of this controller. */
const gatewayOf = (state: KubernetesState, route: Thing, reference: JsonObject): Thing | undefined => {
  const group = stringAt(reference, "group") ?? "gateway.networking.k8s.io"
  if (group !== "gateway.networking.k8s.io" || (stringAt(reference, "kind") ?? "Gateway") !== "Gateway")
    return undefined
  const namespace = stringAt(reference, "namespace") ?? route.metadata.namespace
  const gateway = find(state, gateways, namespace, stringAt(reference, "name") ?? "")
  return gateway !== undefined && isOurs(state, gateway) ? gateway : undefined
}

export const isOurs = (state: KubernetesState, gateway: Thing): boolean => {
  const name = stringAt(objectAt(gateway, "spec"), "gatewayClassName") ?? ""
  return objectAt(find(state, gatewayClasses, undefined, name), "spec")["controllerName"] === controllerName
}

/** Whether a listener accepts routes of a namespace: its own, all, or those with certain labels. */
const allows = (state: KubernetesState, gateway: Thing, listener: JsonObject, namespace: string): boolean => {
  const allowed = objectAt(listener, "allowedRoutes")
  const kinds = objectsAt(allowed, "kinds")
  if (kinds.length > 0 && !kinds.some((_) => _["kind"] === "HTTPRoute")) return false
  const { from = "Same", selector } = objectAt(allowed, "namespaces")
  if (from === "All") return true
  if (from === "Same") return namespace === gateway.metadata.namespace
  const labels = find(state, "namespaces", undefined, namespace)?.metadata.labels ?? {}
  return from === "Selector" && matchesLabels(objectAt({ selector }, "selector"), labels)
}

/** Whether two host names of the Gateway API, with or without a wildcard, have a host in common. */
const meet = (one: string, other: string): boolean => {
  if (one === "" || other === "" || one === other) return true
  const [wide, narrow] = one.startsWith("*.") ? [one, other] : [other, one]
  if (!wide.startsWith("*.")) return false
  const suffix = wide.slice(1)
  return narrow.startsWith("*.")
    ? narrow.slice(1).endsWith(suffix) || suffix.endsWith(narrow.slice(1))
    : narrow.endsWith(suffix)
}

const hostsMeet = (route: Thing, listener: JsonObject): boolean => {
  const hosts = stringsAt(objectAt(route, "spec"), "hostnames") ?? []
  const own = stringAt(listener, "hostname") ?? ""
  return hosts.length === 0 || hosts.some((_) => meet(_, own))
}

interface Verdict {
  readonly accepted: Condition
  /** The listeners that the route is attached to. */
  readonly attached: ReadonlyArray<string>
}

const verdict = (reason: string, message: string, attached: ReadonlyArray<string> = []): Verdict => ({
  accepted: { type: "Accepted", status: attached.length > 0 ? "True" : "False", reason, message },
  attached
})

/** Whether and where a gateway accepts a route. Two routes of one host are both accepted; the older one is served. */
const attachment = (state: KubernetesState, route: Thing, reference: JsonObject, gateway: Thing): Verdict => {
  const section = stringAt(reference, "sectionName")
  const port = numberAt(reference, "port")
  const meant = listenersOf(gateway).filter(
    (_) =>
      (section === undefined || _["name"] === section) &&
      (port === undefined || _["port"] === port) &&
      ["HTTP", "HTTPS"].includes(String(_["protocol"]))
  )
  if (meant.length === 0) return verdict("NoMatchingParent", "No listeners match this parent ref")
  const open = meant.filter((_) => allows(state, gateway, _, route.metadata.namespace ?? ""))
  if (open.length === 0) {
    return verdict("NotAllowedByListeners", "No listeners included by this parent ref allowed this attachment.")
  }
  const fitting = open.filter((_) => hostsMeet(route, _))
  return fitting.length === 0
    ? verdict(
        "NoMatchingListenerHostname",
        "There were no hostname intersections between the HTTPRoute and this parent ref's Listener(s)."
      )
    : verdict(
        "Accepted",
        "Route is accepted",
        fitting.map((_) => String(_["name"]))
      )
}

const isGranted = (state: KubernetesState, route: Thing, namespace: string, name: string): boolean =>
  inNamespace(state, referenceGrants, namespace).some((grant) => {
    const spec = objectAt(grant, "spec")
    return (
      objectsAt(spec, "from").some((_) => _["kind"] === "HTTPRoute" && _["namespace"] === route.metadata.namespace) &&
      objectsAt(spec, "to").some(
        (_) => _["kind"] === "Service" && [undefined, "", name].some((named) => _["name"] === named)
      )
    )
  })

const unresolved = (reason: string, message: string): Condition => ({
  type: "ResolvedRefs",
  status: "False",
  reason,
  message
})

const problemOf = (state: KubernetesState, route: Thing, reference: JsonObject): Condition | undefined => {
  const [group, kind] = [stringAt(reference, "group") ?? "", stringAt(reference, "kind") ?? "Service"]
  const own = route.metadata.namespace ?? ""
  const namespace = stringAt(reference, "namespace") ?? own
  const name = stringAt(reference, "name") ?? ""
  if (group !== "" || kind !== "Service") {
    return unresolved(
      "InvalidKind",
      "Group is invalid, only the core API group (specified by omitting the group field or setting it to an empty " +
        "string) is supported"
    )
  }
  if (namespace !== own && !isGranted(state, route, namespace, name)) {
    return unresolved(
      "RefNotPermitted",
      `Backend ref to Service ${namespace}/${name} not permitted by any ReferenceGrant.`
    )
  }
  const service = find(state, "services", namespace, name)
  if (service === undefined) return unresolved("BackendNotFound", `Service ${namespace}/${name} not found`)
  const port = numberAt(reference, "port")
  return objectsAt(service, "spec", "ports").some((_) => _["port"] === port)
    ? undefined
    : unresolved("PortNotFound", `TCP Port ${String(port)} not found on Service ${namespace}/${name}`)
}

/** Whether all backends of the rules exist and may be referenced. */
const resolution = (state: KubernetesState, route: Thing): Condition =>
  objectsAt(route, "spec", "rules")
    .flatMap((_) => objectsAt(_, "backendRefs"))
    .flatMap((_) => problemOf(state, route, _) ?? [])[0] ?? {
    type: "ResolvedRefs",
    status: "True",
    reason: "ResolvedRefs",
    message: "Resolved all the Object references for the Route"
  }

const sameReference = (one: JsonObject, other: JsonObject): boolean =>
  ["group", "kind", "namespace", "name", "sectionName", "port"].every((_) => one[_] === other[_])

/** Reconciles a route: sets its status for each of its gateways. */
export const reconcileRoute = (pass: Pass, route: Thing): void => {
  const { now, state } = pass
  if (route.metadata.deletionTimestamp !== undefined) return
  const before = objectsAt(route, "status", "parents")
  const observedGeneration = route.metadata.generation ?? 1
  const ours = parentRefsOf(route).flatMap((parentRef) => {
    const gateway = gatewayOf(state, route, parentRef)
    // A missing gateway has no controller, so it gets no status.
    if (gateway === undefined) return []
    const known = before.find(
      (_) => _["controllerName"] === controllerName && sameReference(objectAt(_, "parentRef"), parentRef)
    )
    const conditions = [attachment(state, route, parentRef, gateway).accepted, resolution(state, route)].reduce(
      (status, condition) => withCondition(status, condition, now, { observedGeneration }),
      objectAt({ known }, "known")
    )["conditions"]
    return [{ parentRef, controllerName, conditions }]
  })
  const others = before.filter((_) => _["controllerName"] !== controllerName)
  if (ours.length === 0 && before.length === 0) return
  void writeStatus(pass, httpRoutes, route, { parents: [...others, ...ours] })
}

/** How many routes are attached to a listener. */
export const attachedTo = (state: KubernetesState, gateway: Thing, listener: string): number =>
  allOf(state, httpRoutes).filter((route) =>
    parentRefsOf(route).some(
      (_) =>
        gatewayOf(state, route, _)?.metadata.uid === gateway.metadata.uid &&
        attachment(state, route, _, gateway).attached.includes(listener)
    )
  ).length
