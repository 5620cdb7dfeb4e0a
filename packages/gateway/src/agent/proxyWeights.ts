import { decodeJson } from "@portico/contract/decodeJson"
import { ProxyWeights, type Weight } from "@portico/agent/plans/Plans"
import { withoutPrefixes } from "@portico/agent/plans/proxiedPath"
import type { ApiRequest } from "@portico/agent/Api"
import { Layer, Option, Result } from "effect"
import type { LifecycleKind } from "@portico/contract/Events"
import { actsAt, areasOf, isAct, keysOf } from "../acts/matching.ts"
import { billableOf, type Call } from "../proxy/billable.ts"
import { proxyTarget } from "../proxy/path.ts"
import { iaasPrefix, kubernetesPrefix } from "../requests/route.ts"
import { withPlainTilde } from "../requests/target.ts"

/** Events of the billing ledger after which the tenant is billed for more than before. */
const growing: ReadonlySet<LifecycleKind> = new Set([
  "server.create",
  "server.resize",
  "server.restore",
  "server.unshelve",
  "volume.create",
  "volume.extend",
  "volume.retype",
  "volume.transfer",
  "floating_ip.create",
  "load_balancer.create"
])

/**
 * Acts of tier 1 that an agent cannot undo, by the key that names them in the body. Acts that destroy are not here:
 * they need tier 2, which no agent has.
 */
const irreversible: Readonly<Record<string, ReadonlySet<string>>> = {
  compute: new Set([
    // The old password stops working, and the platform cannot show it.
    "changePassword",
    // It deletes the disk of before the resize.
    "confirmResize",
    // The guest crashes and loses what it has in memory.
    "trigger_crash_dump"
  ]),
  // A volume never shrinks.
  volume: new Set(["os-extend"])
}

/** Kinds whose old state an agent cannot restore: it cannot read Secrets, and claims never shrink. */
const clusterKinds: ReadonlySet<string> = new Set(["secrets", "persistentvolumeclaims"])

export const ProxyWeightsLive = Layer.succeed(
  ProxyWeights,
  ProxyWeights.of({
    of: (request) => (request.path.startsWith(kubernetesPrefix) ? ofCluster(request) : ofPlatform(request)),
    otherAreas: (request) => {
      const called = calledBy(request)
      if (called === undefined) return []
      const { body, call } = called
      const acts = actsAt(call).filter((_) => isAct(_, call, body))
      return [...new Set(acts.flatMap((_) => areasOf(_, call).map(([area]) => area)))]
    }
  })
)

/** A call to the platform and its JSON; undefined for a path that the proxy refuses, because it cannot parse it. */
const calledBy = ({ body, method, path }: ApiRequest) => {
  const target = Result.getOrUndefined(proxyTarget(withPlainTilde(path), iaasPrefix))
  if (target === undefined) return undefined
  const { query, service } = target
  const segments = withoutPrefixes(service, target.segments)
  const call = { method, service, segments, query: new URLSearchParams(query) }
  return { call, body: Option.getOrUndefined(decodeJson(body ?? "")) }
}

const ofPlatform = (request: ApiRequest): ReadonlyArray<Weight> => {
  const called = calledBy(request)
  if (called === undefined) return []
  const { body: given, call } = called
  const isAction = call.method === "POST" && call.segments.at(-1) === "action"
  const cannotUndo = isAction && keysOf(given).some((_) => irreversible[call.service]?.has(_) === true)
  return [...(isBilled(call, given) ? (["billed"] as const) : []), ...(cannotUndo ? (["irreversible"] as const) : [])]
}

/** A group is made with a volume for each one of its source, and the answer names none of them. */
const copiesGroup = ({ segments, service }: Call, given: unknown): boolean => {
  const [kind, last] = [segments[0], segments.at(-1)]
  return (
    service === "volume" &&
    ((kind === "groups" && keysOf(given).includes("create-from-src")) ||
      (kind === "consistencygroups" && last === "create_from_src"))
  )
}

const isBilled = (call: Call, given: unknown) => {
  if (copiesGroup(call, given)) return true
  const billable = call.method === "POST" ? billableOf(call) : undefined
  if (billable === undefined) return false
  // Where only the answer shows what was billed, the call is a creation.
  return billable.reads.answer || billable.effects(given, undefined).some((_) => growing.has(_.kind))
}

const ofCluster = ({ method, path }: ApiRequest): ReadonlyArray<Weight> => {
  const target = Result.getOrUndefined(proxyTarget(withPlainTilde(path), kubernetesPrefix))
  const replaces = method === "PUT" || method === "PATCH"
  return replaces && target?.segments.some((_) => clusterKinds.has(_)) === true ? ["irreversible"] : []
}
