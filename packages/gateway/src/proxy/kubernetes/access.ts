import { type Caller, type PermissionTier, tierOf } from "@portico/contract/Access"
import { Conflict, Forbidden, NotFound } from "@portico/contract/Failures"
import { namespacesOf } from "@portico/domain/kubernetes/namespaces"
import { denied } from "@portico/domain/policy/limits"
import { Result } from "effect"

/** What policies call it. */
const area = "kubernetes"

/** What somebody asks of the cluster, as far as it decides. */
export interface Asked {
  readonly method: string
  readonly segments: ReadonlyArray<string>
  /** Whether the connection is to become another protocol's. */
  readonly upgrade: boolean
}

/** A request that may go on. */
export interface Verdict {
  /** The tenant's own namespace that it is about; undefined for discovery and reviews, and for administrators. */
  readonly namespace: string | undefined
}

const anywhere: Verdict = { namespace: undefined }

/**
 * Whether a request may go on to the API server. A tenant reaches what is in
 * its own namespaces, the discovery, and the reviews of its own access: all
 * other paths are not there, whatever the cluster has at them. The tier mostly
 * follows from the method, but not for what a GET can do here. The platform's
 * administrators reach everything that the cluster's own rules let them. A
 * tenant that is being deleted or closed reads, and does nothing else.
 */
export const decided = (caller: Caller, asked: Asked): Result.Result<Verdict, Forbidden | NotFound | Conflict> => {
  if (caller.tenant === null) return Result.succeed(anywhere)
  const place = placeOf(asked.segments)
  if (place?.kind === "review" && asked.method === "POST" && !asked.upgrade) {
    const denial = denied(caller, area, 0)
    return denial === undefined ? Result.succeed(anywhere) : Result.fail(denial)
  }
  // Before the path is looked at, so that the refusal tells nothing of it.
  const { method } = asked
  const usual = tierOf(method)
  if (caller.tier < usual) return Result.fail(Forbidden.methodNeedsTier(method, usual, caller.tier))
  const denial = denied(caller, area, usual)
  if (denial !== undefined) return Result.fail(denial)
  if (caller.tenant.closing && (usual > 0 || connects(asked, place))) return Result.fail(Conflict.closing())
  if (place?.kind === "discovery" && usual === 0 && !asked.upgrade) return Result.succeed(anywhere)
  if (place?.kind !== "namespace" && place?.kind !== "resource") return Result.fail(NotFound.route())
  const { namespace } = place
  if (!namespacesOf(caller.tenant.projectId).includes(namespace)) return Result.fail(NotFound.route())
  const refusal = place.kind === "namespace" ? againstNamespace(asked) : againstResource(caller, asked, place)
  return refusal === undefined ? Result.succeed({ namespace }) : Result.fail(refusal)
}

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

const againstNamespace = ({ method, upgrade }: Asked): Forbidden | NotFound | undefined =>
  upgrade ? NotFound.route() : tierOf(method) > 0 ? Forbidden.clusterNamespace() : undefined

const againstResource = (caller: Caller, asked: Asked, at: Resource): Forbidden | undefined => {
  const { tier, what } = need(asked, at)
  if (caller.tier < tier) return Forbidden.methodNeedsTier(what, tier, caller.tier)
  return denied(caller, area, tier) ?? (tierOf(asked.method) === 0 ? undefined : againstWrite(at))
}

/** Each of them is a way into a pod, or to whatever it serves, in every method. */
export const connecting: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy"])

/** Whether it opens a way into what runs, whatever its method. */
const connects = ({ upgrade }: Pick<Asked, "upgrade">, at: Place | undefined): boolean =>
  upgrade || (at?.kind === "resource" && connecting.has(at.subresource))

/** The tier, and the words for what needs it. */
const need = ({ method, upgrade }: Asked, at: Resource): { readonly tier: PermissionTier; readonly what: string } => {
  const { group, resource, subresource } = at
  const usual = tierOf(method)
  const below = subresource === "" ? resource : `${resource}/${subresource}`
  const what = `${method} of ${below}`
  if (subresource === "eviction" && usual > 0) return { tier: 2, what }
  const opens = connects({ upgrade }, at) || (group === "" && resource === "secrets")
  return opens && usual === 0 ? { tier: 1, what } : { tier: usual, what: method }
}

/** What would lift a tenant's own limits, by its group. */
const limits: ReadonlySet<string> = new Set([
  "/resourcequotas",
  "/limitranges",
  "rbac.authorization.k8s.io/roles",
  "rbac.authorization.k8s.io/rolebindings"
])

/** Written by the cluster's own controllers. */
const controlled: ReadonlySet<string> = new Set(["status", "finalize", "binding"])

const againstWrite = ({ group, resource, subresource }: Resource): Forbidden | undefined => {
  if (limits.has(`${group}/${resource}`)) return Forbidden.clusterLimits(resource)
  if (resource === "serviceaccounts" && subresource === "token") return Forbidden.clusterToken()
  if (controlled.has(subresource)) return Forbidden.clusterSubresource(subresource)
  if (group === "" && resource === "bindings") return Forbidden.clusterSubresource("binding")
  return undefined
}
