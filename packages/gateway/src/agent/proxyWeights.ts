import { ProxyWeights, type Weight } from "@portico/agent/plans/Plans"
import { withoutPrefixes } from "@portico/agent/plans/proxiedPath"
import type { ApiRequest } from "@portico/agent/Api"
import { Layer, Option, Result, Schema } from "effect"
import type { LifecycleKind } from "@portico/contract/Events"
import { keysOf } from "../acts/matching.ts"
import { billableOf } from "../proxy/billable.ts"
import { proxyTarget } from "../proxy/path.ts"
import { iaasPrefix, kubernetesPrefix } from "../requests/route.ts"

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
    // A confirmation deletes the old disk. A reversal deletes what the server wrote since the resize.
    "confirmResize",
    "revertResize",
    // The guest crashes and loses what it has in memory.
    "trigger_crash_dump"
  ]),
  // A volume never shrinks.
  volume: new Set(["os-extend"])
}

/** Kinds whose old state an agent cannot restore: it cannot read Secrets, and claims never shrink. */
const clusterKinds: ReadonlySet<string> = new Set(["secrets", "persistentvolumeclaims"])

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

export const ProxyWeightsLive = Layer.succeed(
  ProxyWeights,
  ProxyWeights.of({
    of: (request) => (request.path.startsWith(kubernetesPrefix) ? ofCluster(request) : ofPlatform(request))
  })
)

const ofPlatform = ({ body, method, path }: ApiRequest): ReadonlyArray<Weight> => {
  // The proxy refuses a path that it cannot parse.
  const target = Result.getOrUndefined(proxyTarget(path, iaasPrefix))
  if (target === undefined) return []
  const { service } = target
  const given = Option.getOrUndefined(decode(body ?? ""))
  const segments = withoutPrefixes(service, target.segments)
  const isAct = method === "POST" && segments.at(-1) === "action"
  const cannotUndo = isAct && keysOf(given).some((_) => irreversible[service]?.has(_) === true)
  return [
    ...(isBilled({ method, service, segments }, given) ? (["billed"] as const) : []),
    ...(cannotUndo ? (["irreversible"] as const) : [])
  ]
}

const isBilled = (
  call: { readonly method: string; readonly service: string; readonly segments: ReadonlyArray<string> },
  given: unknown
) => {
  const billable = call.method === "POST" ? billableOf(call) : undefined
  if (billable === undefined) return false
  // Where only the answer shows what was billed, the call is a creation.
  return billable.reads.answer || billable.effects(given, undefined).some((_) => growing.has(_.kind))
}

const ofCluster = ({ method, path }: ApiRequest): ReadonlyArray<Weight> => {
  const target = Result.getOrUndefined(proxyTarget(path, kubernetesPrefix))
  const replaces = method === "PUT" || method === "PATCH"
  return replaces && target?.segments.some((_) => clusterKinds.has(_)) === true ? ["irreversible"] : []
}
