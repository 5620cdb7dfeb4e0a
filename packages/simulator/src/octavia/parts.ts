import { randomUUID } from "node:crypto"
import { Result } from "effect"
import { type JsonObject, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { toSeconds } from "../times.ts"
import type { Kind } from "./kinds.ts"
import { refuse, type Request } from "./policy.ts"
import { checkQuota } from "./quotas.ts"
import type { Child, Children, LoadBalancer } from "./state.ts"
import { balancerFor, childFor, childrenOf, creationMillis } from "./tree.ts"

/** The parents of a new child: its load balancer, and the child between them, if there is one. */
export interface Location {
  readonly balancer: LoadBalancer
  readonly parent: Child | undefined
}

const underneath = (request: Request, kind: Children, id: string): Step<Location> =>
  Result.gen(function* () {
    const parent = yield* childFor(request, kind, id)
    return { parent, balancer: yield* balancerFor(request, parent.loadbalancer_id) }
  })

export const locate = (request: Request, { kind, within }: Kind, given: JsonObject): Step<Location> => {
  const at = (key: string) => stringAt(given, key) ?? ""
  if (within !== undefined) return underneath(request, within.kind, request.incoming.params["parent"] ?? "")
  if (kind === "healthmonitors") return underneath(request, "pools", at("pool_id"))
  if (kind === "l7policies") return underneath(request, "listeners", at("listener_id"))
  if (kind === "pools" && at("loadbalancer_id") === "") {
    return at("listener_id") === ""
      ? refuse(400, "Validation failure: Must provide at least one of: loadbalancer_id, listener_id")
      : underneath(request, "listeners", at("listener_id"))
  }
  return Result.map(balancerFor(request, at("loadbalancer_id")), (balancer) => ({ balancer, parent: undefined }))
}

const datagrams: Readonly<Record<string, string>> = { UDP: "udp", SCTP: "sctp" }

const fourth = (protocol: unknown): string => datagrams[String(protocol)] ?? "tcp"

const poolMissing = ({ incoming }: Request, balancer: string, id: unknown): Step<void> => {
  if (typeof id !== "string") return Result.void
  const pool = incoming.world.octavia.pools[id]
  return pool?.loadbalancer_id === balancer ? Result.void : refuse(404, `Pool ${id} not found.`)
}

const checkListener = (request: Request, balancer: string, fields: JsonObject, own: string): Step<void> => {
  const { octavia } = request.incoming.world
  const { protocol, protocol_port } = fields
  const same = childrenOf(octavia, "listeners", { balancer }).some(
    (_) =>
      _.id !== own && _.fields["protocol_port"] === protocol_port && fourth(_.fields["protocol"]) === fourth(protocol)
  )
  return same
    ? refuse(
        409,
        `Another Listener on this Load Balancer is already using protocol ${protocol} and protocol_port ${protocol_port}`
      )
    : poolMissing(request, balancer, fields["default_pool_id"])
}

/** A member's subnet is looked up as the caller: another project's does not exist. */
const checkMember = ({ incoming, scope }: Request, fields: JsonObject, own: string): Step<void> => {
  const { neutron, octavia } = incoming.world
  const { address, pool_id, protocol_port, subnet_id } = fields
  const subnet = typeof subnet_id === "string" ? neutron.subnets[subnet_id] : undefined
  const visible =
    subnet !== undefined &&
    (scope.admin || subnet.project_id === scope.projectId || neutron.networks[subnet.network_id]?.shared === true)
  if (typeof subnet_id === "string" && !visible) return refuse(404, `Subnet ${subnet_id} not found.`)
  const same = childrenOf(octavia, "members", { key: "pool_id", id: String(pool_id) }).some(
    (_) => _.id !== own && _.fields["address"] === address && _.fields["protocol_port"] === protocol_port
  )
  return same
    ? refuse(409, `Another member on this pool is already using ip ${address} on protocol_port ${protocol_port}`)
    : Result.void
}

/** The required attribute of each action of a policy. */
const needed: Readonly<Record<string, string>> = {
  REDIRECT_TO_POOL: "redirect_pool_id",
  REDIRECT_TO_URL: "redirect_url",
  REDIRECT_PREFIX: "redirect_prefix"
}

const checkPolicy = (request: Request, balancer: string, fields: JsonObject): Step<void> => {
  const key = needed[String(fields["action"])]
  return key !== undefined && fields[key] === null
    ? refuse(400, `Invalid L7 Policy arguments: ${key} must not be None`)
    : poolMissing(request, balancer, fields["redirect_pool_id"])
}

const checkRule = (fields: JsonObject): Step<void> => {
  const keyed = ["HEADER", "COOKIE", "SSL_DN_FIELD"].includes(String(fields["type"]))
  if (keyed && fields["key"] === null) {
    return refuse(400, `Error parsing L7Rule: L7rule type ${fields["type"]} needs a key`)
  }
  return !keyed && fields["key"] !== null
    ? refuse(400, `Error parsing L7Rule: L7rule type ${fields["type"]} does not use the "key" field`)
    : Result.void
}

/** The checks of a child against its tree before a write; `own` is the child's id in an update. */
export const checkPart = (
  request: Request,
  kind: Children,
  balancer: string,
  fields: JsonObject,
  own = ""
): Step<void> => {
  const { octavia } = request.incoming.world
  if (kind === "listeners") return checkListener(request, balancer, fields, own)
  if (kind === "members") return checkMember(request, fields, own)
  if (kind === "l7policies") return checkPolicy(request, balancer, fields)
  if (kind === "l7rules") return checkRule(fields)
  const monitors = childrenOf(octavia, "healthmonitors", { key: "pool_id", id: String(fields["pool_id"]) })
  return kind === "healthmonitors" && monitors.some((_) => _.id !== own)
    ? refuse(409, "This pool already has a health monitor")
    : Result.void
}

/** A child that is not yet in the tree. */
export const newPart = (request: Request, { id, project_id }: LoadBalancer, fields: JsonObject): Child => {
  const { now } = request.incoming
  return {
    id: randomUUID(),
    project_id,
    loadbalancer_id: id,
    fields,
    created_at: toSeconds(now),
    updated_at: null,
    pending: "PENDING_CREATE",
    ready_from: now + creationMillis,
    deleted_from: null
  }
}

export const room = (request: Request, kind: Children, project: string, more: number): Step<void> =>
  checkQuota(request.incoming.world.octavia, project, kind, more)
