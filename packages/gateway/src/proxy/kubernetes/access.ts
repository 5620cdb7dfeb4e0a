import { type Caller, type PermissionTier, tierOf } from "@portico/contract/Access"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { type Reach, reachOf } from "@portico/domain/access/reach"
import { namespacesOf } from "@portico/domain/kubernetes/ownership"
import { platformPolicyPrefix } from "@portico/domain/kubernetes/policies"
import { denied } from "@portico/domain/access/limits"
import { Result } from "effect"
import { actsAt } from "../../acts/matching.ts"
import { destroyingGuard } from "./destroying.ts"
import { both, type Guard } from "./guards.ts"
import { createsInCluster } from "./suspension.ts"
import { guardOf, reasonAgainstWriting, resourceName } from "./writable.ts"

/** What policies call it. */
const area = "kubernetes"

/** What somebody asks of the cluster, as far as it decides. */
export interface ClusterCall {
  readonly method: string
  readonly segments: ReadonlyArray<string>
  /** Whether the connection is to become another protocol's. */
  readonly upgrade: boolean
  /** Of its body, as the header says it. */
  readonly type?: string | undefined
  /** What the operator lets tenants write beside the stock kinds: `backups.postgresql.cnpg.io`. */
  readonly more: ReadonlySet<string>
}

/** A request that may go on. */
export interface Verdict {
  /** Whom it is made as. */
  readonly reach: Reach
  /** The tenant's own namespace that it is about; undefined for discovery and reviews, and for administrators. */
  readonly namespace: string | undefined
  /** What its body is held to before it goes on. */
  readonly guard?: Guard | undefined
}

/**
 * Whether a request may go on to the API server. A tenant reaches what is in
 * its own namespaces, the discovery, and the reviews of its own access: all
 * other paths are not there, whatever the cluster has at them. The tier mostly
 * follows from the method, but not for what a GET can do here. The platform's
 * administrators, on the operator plane, reach everything that the cluster's own rules let them. A
 * tenant that is being deleted or closed reads, and does nothing else; one that is suspended creates nothing.
 */
export const decided = (
  caller: Caller,
  asked: ClusterCall
): Result.Result<Verdict, Forbidden | NotFound | Conflict> => {
  const reached = reachOf(caller)
  if (Result.isFailure(reached)) return Result.fail(reached.failure)
  const reach = reached.success
  const anywhere: Verdict = { reach, namespace: undefined }
  if (reach.kind === "platform") return Result.succeed(anywhere)
  const place = placeOf(asked.segments)
  if (place?.kind === "review" && asked.method === "POST" && !asked.upgrade) {
    const denial = denied(caller, area, 0)
    return denial === undefined ? Result.succeed(anywhere) : Result.fail(denial)
  }
  // Before the path is looked at, so that the refusal tells nothing of it.
  const { method } = asked
  const usual = tierOf(method)
  if (caller.tier < usual) return Result.fail(Forbidden.tierTooLow(method, usual, caller.tier))
  const denial = denied(caller, area, usual)
  if (denial !== undefined) return Result.fail(denial)
  if (reach.tenant.closing && (usual > 0 || connects(asked, place))) return Result.fail(Conflict.closing())
  if (reach.tenant.suspended && createsInCluster(asked, place)) return Result.fail(Forbidden.tenantSuspended())
  if (place?.kind === "discovery" && usual === 0 && !asked.upgrade) return Result.succeed(anywhere)
  if (place?.kind !== "namespace" && place?.kind !== "resource") return Result.fail(NotFound.route())
  const { namespace } = place
  if (!namespacesOf(reach.tenant.projectId).includes(namespace)) return Result.fail(NotFound.route())
  const refusal = place.kind === "namespace" ? againstNamespace(asked) : againstResource(caller, asked, place)
  if (refusal !== undefined) return Result.fail(refusal)
  const guard =
    place.kind === "resource" && isChange(method) && place.subresource === ""
      ? both(guardOf(resourceName(place)), destroyingGuard(caller, method, place))
      : undefined
  return Result.succeed({ reach, namespace, guard })
}

/** Creates or changes; a deletion does neither. */
const isChange = (method: string): boolean => tierOf(method) === 1

interface Resource {
  readonly kind: "resource"
  readonly namespace: string
  /** Empty for the core group. */
  readonly group: string
  readonly resource: string
  readonly name: string
  readonly subresource: string
}

type Place =
  | Resource
  | { readonly kind: "namespace"; readonly namespace: string }
  | { readonly kind: "discovery" | "review" }

/** The shapes of path that a tenant can reach at all. */
const placeOf = ([root = "", ...behind]: ReadonlyArray<string>): Place | undefined => {
  switch (root) {
    case "version":
      return behind.length === 0 ? { kind: "discovery" } : undefined
    case "openapi":
      return behind[0] === "v2" || behind[0] === "v3" ? { kind: "discovery" } : undefined
    case "api":
      return placeInGroup("", behind.slice(1))
    case "apis":
      return placeInGroup(behind[0] ?? "", behind.slice(2))
    default:
      return undefined
  }
}

const selfReviews: ReadonlySet<string> = new Set([
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "authentication.k8s.io/selfsubjectreviews"
])

/** @param below what follows the version */
const placeInGroup = (group: string, below: ReadonlyArray<string>): Place | undefined => {
  const [first, namespace = "", resource = "", name = "", subresource = ""] = below
  if (first === undefined) return { kind: "discovery" }
  if (below.length === 1 && selfReviews.has(`${group}/${first}`)) return { kind: "review" }
  if (first !== "namespaces" || namespace === "") return undefined
  if (resource === "") return group === "" ? { kind: "namespace", namespace } : undefined
  // Sub-resources of the namespace itself, and no resources in it.
  if (resource === "status" || resource === "finalize") return undefined
  return { kind: "resource", namespace, group, resource, name, subresource }
}

const againstNamespace = ({ method, upgrade }: ClusterCall): Forbidden | NotFound | undefined =>
  upgrade ? NotFound.route() : tierOf(method) > 0 ? Forbidden.clusterNamespace() : undefined

const againstResource = (caller: Caller, asked: ClusterCall, at: Resource): Forbidden | undefined => {
  const { tier, what } = need(asked, at)
  if (caller.tier < tier) return Forbidden.tierTooLow(what, tier, caller.tier)
  const denial = denied(caller, area, tier)
  if (denial !== undefined) return denial
  if (caller.kind === "mcp" && isSecret(at) && showsSecret(asked.method)) return Forbidden.clusterSecretOfAgent()
  return tierOf(asked.method) === 0 ? undefined : againstWrite(asked, at)
}

const isSecret = ({ group, resource }: Pick<Resource, "group" | "resource">): boolean =>
  group === "" && resource === "secrets"

/** A patch and a deletion answer with what was there; a create and an update with what the caller sent. */
const showsSecret = (method: string): boolean => method !== "POST" && method !== "PUT"

/** Each of them is a way into a pod, or to whatever it serves, in every method. */
export const connecting: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy"])

/** Whether it opens a way into what runs, whatever its method. */
const connects = ({ upgrade }: Pick<ClusterCall, "upgrade">, at: Place | undefined): boolean =>
  upgrade || (at?.kind === "resource" && connecting.has(at.subresource))

/** The tier, and the words for what needs it. */
const need = (
  { method, upgrade }: Pick<ClusterCall, "method" | "upgrade">,
  at: Resource
): { readonly tier: PermissionTier; readonly what: string } => {
  const { name, resource, subresource } = at
  const usual = tierOf(method)
  const below = subresource === "" ? resource : `${resource}/${subresource}`
  const what = `${method} of ${below}`
  const acts = actsAt({ service: area, method, segments: [resource, name, subresource] })
  if (acts.some((_) => _.decision === "destroys" && _.inBody === undefined)) return { tier: 2, what }
  const opens = connects({ upgrade }, at) || isSecret(at)
  return opens && usual === 0 ? { tier: 1, what } : { tier: usual, what: method }
}

/** What would lift a tenant's own limits, by its group; beside them {@link isPlatformPolicy}. */
const limits: ReadonlySet<string> = new Set([
  "/resourcequotas",
  "/limitranges",
  "rbac.authorization.k8s.io/roles",
  "rbac.authorization.k8s.io/rolebindings"
])

/** Written by the cluster's own controllers. */
const controlled: ReadonlySet<string> = new Set(["status", "finalize", "binding"])

/** The platform's own network policies, see `ensureNamespace`; a collection's deletion would take them along. */
const isPlatformPolicy = ({ group, name, resource }: Resource, method: string): boolean =>
  group === "networking.k8s.io" &&
  resource === "networkpolicies" &&
  (name === "" ? method === "DELETE" : name.startsWith(platformPolicyPrefix))

const againstWrite = ({ method, more, upgrade }: ClusterCall, at: Resource): Forbidden | undefined => {
  const { group, resource, subresource } = at
  if (limits.has(`${group}/${resource}`) || isPlatformPolicy(at, method)) return Forbidden.clusterLimits(resource)
  if (resource === "serviceaccounts" && subresource === "token") return Forbidden.clusterToken()
  if (controlled.has(subresource)) return Forbidden.clusterSubresource(subresource)
  if (group === "" && resource === "bindings") return Forbidden.clusterSubresource("binding")
  if (!isChange(method) || connects({ upgrade }, at)) return undefined
  const name = resourceName(at)
  const reason = reasonAgainstWriting(name, more)
  return reason === undefined ? undefined : Forbidden.clusterKind(name, reason)
}
