import { type Caller, type PermissionTier, tierOf } from "@portico/contract/Access"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { type Reach, reachOf } from "@portico/domain/access/reach"
import { namespacesOf } from "@portico/domain/kubernetes/ownership"
import { platformPolicyPrefix } from "@portico/domain/kubernetes/policies"
import { denied } from "@portico/domain/access/limits"
import { type Kind, kinds } from "@portico/upstream/kubernetes/kinds"
import { Result } from "effect"
import { actsAt } from "../../acts/matching.ts"
import { destroyingGuard } from "./destroying.ts"
import { both, type Guard } from "./guards.ts"
import { createsInCluster } from "./suspension.ts"
import { guardOf, reasonAgainstWriting, resourceName } from "./writable.ts"

/** The area of the cluster in policies. */
const area = "kubernetes"

/** The parts of a cluster call that decide on access. */
export interface ClusterCall {
  readonly method: string
  readonly segments: ReadonlyArray<string>
  /** Whether the client asks to upgrade the connection to another protocol. */
  readonly upgrade: boolean
  /** The media type of the body, from its header. */
  readonly type?: string | undefined
  /** The kinds that the operator lets tenants write beside the stock kinds: `backups.postgresql.cnpg.io`. */
  readonly more: ReadonlySet<string>
}

/** A permitted request. */
export interface Verdict {
  /** The identity that the request uses. */
  readonly reach: Reach
  /** The tenant's namespace that the request concerns; undefined for discovery and reviews, and for administrators. */
  readonly namespace: string | undefined
  /** The check of its body before it is forwarded. */
  readonly guard?: Guard | undefined
  /** The object that the request replaces or patches, where it may be a managed database's. */
  readonly changed?: Changed | undefined
}

/** An object of a kind that the operators of databases make for their own. */
export interface Changed {
  readonly kind: Kind
  readonly name: string
}

const madeForDatabases: Readonly<Record<string, Kind>> = {
  secrets: kinds.secret,
  persistentvolumeclaims: kinds.persistentVolumeClaim
}

/**
 * Decides whether a request may be forwarded to the API server. A tenant reaches its own namespaces, the discovery
 * documents, and reviews of its own access. All other paths are a 404, whether or not the cluster has them. The tier
 * mostly follows from the method, except for a GET that does more than read. Platform administrators, on the operator
 * plane, reach everything that the cluster's own rules permit. A tenant that is being deleted or closed can only
 * read; a suspended tenant cannot create.
 */
export const decided = (caller: Caller, call: ClusterCall): Result.Result<Verdict, Forbidden | NotFound | Conflict> => {
  const reached = reachOf(caller)
  if (Result.isFailure(reached)) return Result.fail(reached.failure)
  const reach = reached.success
  const anywhere: Verdict = { reach, namespace: undefined }
  if (reach.kind === "platform") return Result.succeed(anywhere)
  const path = parsePath(call.segments)
  if (path?.kind === "review" && call.method === "POST" && !call.upgrade) {
    const denial = denied(caller, area, 0)
    return denial === undefined ? Result.succeed(anywhere) : Result.fail(denial)
  }
  // Before the path is checked, so the failure tells nothing about the path.
  const { method } = call
  const usual = tierOf(method)
  if (caller.tier < usual) return Result.fail(Forbidden.tierTooLow(method, usual, caller.tier))
  const denial = denied(caller, area, usual)
  if (denial !== undefined) return Result.fail(denial)
  if (reach.tenant.closing && (usual > 0 || connects(call, path))) return Result.fail(Conflict.closing())
  if (reach.tenant.suspended && createsInCluster(call, path)) return Result.fail(Forbidden.tenantSuspended())
  if (path?.kind === "discovery" && usual === 0 && !call.upgrade) return Result.succeed(anywhere)
  if (path?.kind !== "namespace" && path?.kind !== "resource") return Result.fail(NotFound.route())
  const { namespace } = path
  if (!namespacesOf(reach.tenant.projectId).includes(namespace)) return Result.fail(NotFound.route())
  const refusal = path.kind === "namespace" ? againstNamespace(call) : againstResource(caller, call, path)
  if (refusal !== undefined) return Result.fail(refusal)
  const guard =
    path.kind === "resource" && isChange(method) && path.subresource === ""
      ? both(guardOf(resourceName(path)), destroyingGuard(caller, method, path))
      : undefined
  const changed = path.kind === "resource" && replaces(method) ? changedOf(path) : undefined
  return Result.succeed({ reach, namespace, guard, changed })
}

const changedOf = (path: Resource): Changed | undefined => {
  const kind = Object.hasOwn(madeForDatabases, resourceName(path)) ? madeForDatabases[resourceName(path)] : undefined
  return kind === undefined || path.name === undefined ? undefined : { kind, name: path.name }
}

const replaces = (method: string): boolean => method === "PUT" || method === "PATCH"

/** Whether the method creates or changes; a deletion does neither. */
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

type ClusterPath =
  | Resource
  | { readonly kind: "namespace"; readonly namespace: string }
  | { readonly kind: "discovery" | "review" }

/** The forms of path that a tenant can reach. */
const parsePath = ([root = "", ...behind]: ReadonlyArray<string>): ClusterPath | undefined => {
  switch (root) {
    case "version":
      return behind.length === 0 ? { kind: "discovery" } : undefined
    case "openapi":
      return behind[0] === "v2" || behind[0] === "v3" ? { kind: "discovery" } : undefined
    case "api":
      return parseGroupPath("", behind.slice(1))
    case "apis":
      return parseGroupPath(behind[0] ?? "", behind.slice(2))
    default:
      return undefined
  }
}

const selfReviews: ReadonlySet<string> = new Set([
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "authentication.k8s.io/selfsubjectreviews"
])

/** @param below the segments after the version */
const parseGroupPath = (group: string, below: ReadonlyArray<string>): ClusterPath | undefined => {
  const [first, namespace = "", resource = "", name = "", subresource = ""] = below
  if (first === undefined) return { kind: "discovery" }
  if (below.length === 1 && selfReviews.has(`${group}/${first}`)) return { kind: "review" }
  if (first !== "namespaces" || namespace === "") return undefined
  if (resource === "") return group === "" ? { kind: "namespace", namespace } : undefined
  // These are sub-resources of the namespace itself, not resources in it.
  if (resource === "status" || resource === "finalize") return undefined
  return { kind: "resource", namespace, group, resource, name, subresource }
}

const againstNamespace = ({ method, upgrade }: ClusterCall): Forbidden | NotFound | undefined =>
  upgrade ? NotFound.route() : tierOf(method) > 0 ? Forbidden.clusterNamespace() : undefined

const againstResource = (caller: Caller, call: ClusterCall, at: Resource): Forbidden | undefined => {
  const { tier, what } = need(call, at)
  if (caller.tier < tier) return Forbidden.tierTooLow(what, tier, caller.tier)
  const denial = denied(caller, area, tier) ?? deniedOf(caller, at, tier)
  if (denial !== undefined) return denial
  if (caller.kind === "mcp" && isSecret(at) && showsSecret(call.method)) return Forbidden.clusterSecretOfAgent()
  return tierOf(call.method) === 0 ? undefined : againstWrite(call, at)
}

/** The areas whose things are objects of the cluster, by API group. */
const areasOfGroups: Readonly<Record<string, string>> = {
  "gateway.networking.k8s.io": "edge",
  "kafka.strimzi.io": "databases",
  "postgresql.cnpg.io": "databases"
}

/** The denial of the area whose things an object is of, besides the cluster's own. */
const deniedOf = (caller: Caller, { group }: Resource, tier: PermissionTier) =>
  Object.hasOwn(areasOfGroups, group) ? denied(caller, areasOfGroups[group] ?? "", tier) : undefined

const isSecret = ({ group, resource }: Pick<Resource, "group" | "resource">): boolean =>
  group === "" && resource === "secrets"

/**
 * The answers to a patch and a deletion contain the stored Secret. The answers to a create and an update contain what
 * the caller sent.
 */
const showsSecret = (method: string): boolean => method !== "POST" && method !== "PUT"

/** Each of these opens a connection into a pod, or to a server behind it, with every method. */
export const connecting: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy"])

/** Whether the call opens a connection into a workload, with any method. */
const connects = ({ upgrade }: Pick<ClusterCall, "upgrade">, at: ClusterPath | undefined): boolean =>
  upgrade || (at?.kind === "resource" && connecting.has(at.subresource))

/** The required tier, and the name of the call in the failure detail. */
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

/** Resources that could lift a tenant's limits, by group; see also {@link isPlatformPolicy}. */
const limits: ReadonlySet<string> = new Set([
  "/resourcequotas",
  "/limitranges",
  "rbac.authorization.k8s.io/roles",
  "rbac.authorization.k8s.io/rolebindings"
])

/** Sub-resources that only the cluster's controllers write. */
const controlled: ReadonlySet<string> = new Set(["status", "finalize", "binding"])

/** The platform's own network policies, see `ensureNamespace`. The deletion of a collection would delete them too. */
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
