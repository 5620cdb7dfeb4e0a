import { randomUUID } from "node:crypto"
import { Result } from "effect"
import { booleanAt, has, type JsonObject, objectAt, stringAt, stringsAt } from "../Json.ts"
import { allocateAsked, claim } from "../neutron/addresses.ts"
import { uuid } from "../neutron/attributes.ts"
import { addServicePort } from "../neutron/ports.ts"
import { checkQuota as checkPorts } from "../neutron/quotas.ts"
import type { FixedIp, Subnet } from "../neutron/state.ts"
import { str } from "../python.ts"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { toSeconds } from "../times.ts"
import { stats } from "./children.ts"
import { planned } from "./graph.ts"
import { listed, pick } from "./lists.ts"
import { allowed, call, policyRefused, refuse, type Request } from "./policy.ts"
import { checkQuota } from "./quotas.ts"
import { showBalancer, statusTree } from "./show.ts"
import { kinds, type LoadBalancer } from "./state.ts"
import { balancerFor, begin, childrenOf, creationMillis, deletionMillis, statusOf, updateMillis } from "./tree.ts"

const drivers: ReadonlyArray<string> = ["amphora", "octavia"]

const find = (request: Request): Step<LoadBalancer> => balancerFor(request, request.incoming.params["id"] ?? "")

/** The 409 of a load balancer's own update has another message than that of its children. */
const settled = ({ incoming }: Request, balancer: LoadBalancer): Step<LoadBalancer> => {
  const status = statusOf(balancer, incoming.now)
  return status === "ACTIVE"
    ? Result.succeed(balancer)
    : refuse(409, `Invalid state ${status} of loadbalancer resource ${balancer.id}`)
}

const filters = new Set([
  "id",
  "name",
  "description",
  "project_id",
  "tenant_id",
  "admin_state_up",
  "provisioning_status",
  "operating_status",
  "provider",
  "vip_address",
  "vip_network_id",
  "vip_subnet_id",
  "vip_port_id",
  "created_at",
  "updated_at",
  "tags"
])

const list = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { now, query, world } = request.incoming
    const project = query.get("project_id") ?? query.get("tenant_id")
    if (project !== null) yield* allowed(request, project)
    const found = Object.values(world.octavia.loadbalancers)
      .filter((_) => request.scope.admin || _.project_id === request.scope.projectId)
      .map((_) => showBalancer(world.octavia, now, _))
    return yield* listed(request, "loadbalancers", filters, found)
  })

const writable = ["name", "description", "admin_state_up", "tags"]
/** Flavors and additional VIPs are not simulated; they are refused, not ignored. */
const creatable = new Set([
  ...writable,
  "project_id",
  "tenant_id",
  "provider",
  "vip_address",
  "vip_network_id",
  "vip_subnet_id",
  "listeners",
  "pools"
])

const bodyOf = ({ incoming }: Request, known: { has(key: string): boolean }) => {
  if (incoming.body.length > 0 && incoming.json === undefined) {
    return refuse(400, "Request is not in valid JSON format")
  }
  if (!has(incoming.json, "loadbalancer")) return refuse(400, 'Missing argument: "load_balancer"')
  const given = objectAt(incoming.json, "loadbalancer")
  const unknown = Object.keys(given).find((_) => !known.has(_))
  return unknown === undefined
    ? Result.succeed(given)
    : refuse(400, `Unknown attribute for argument load_balancer.loadbalancer: ${unknown}`)
}

/** Type errors, checked before any lookup. */
const wellTyped = (given: JsonObject): Step<void> => {
  const invalid = (name: string, why: string) =>
    refuse(400, `Invalid input for field/attribute ${name}. Value: '${str(given[name])}'. Value should ${why}`)
  for (const name of ["name", "description"]) {
    const value = given[name]
    if (value === undefined || value === null) continue
    if (typeof value !== "string") return invalid(name, "be string")
    if (value.length > 255) return invalid(name, "have a maximum character requirement of 255")
  }
  for (const name of ["vip_subnet_id", "vip_network_id"]) {
    const value = given[name]
    if (value !== undefined && value !== null && "wrong" in uuid(value)) return invalid(name, "be UUID format")
  }
  return Result.void
}

/** The caller must be able to see the network that the address is taken from. */
const subnetOf = ({ incoming, scope }: Request, given: JsonObject): Step<Subnet> => {
  const { neutron } = incoming.world
  const [subnetId, networkId] = [stringAt(given, "vip_subnet_id"), stringAt(given, "vip_network_id")]
  if (subnetId === undefined && networkId === undefined) {
    return refuse(400, "Validation failure: VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.")
  }
  const subnet = Object.values(neutron.subnets).find((_) =>
    subnetId === undefined ? _.network_id === networkId : _.id === subnetId
  )
  const visible =
    subnet !== undefined &&
    (scope.admin || subnet.project_id === scope.projectId || neutron.networks[subnet.network_id]?.shared === true)
  return visible
    ? Result.succeed(subnet)
    : refuse(400, subnetId === undefined ? `Network ${networkId} not found.` : `Subnet ${subnetId} not found.`)
}

const addressOf = (request: Request, subnet: Subnet, wanted: string | undefined): Step<FixedIp> => {
  const { neutron } = request.incoming.world
  const found =
    wanted === undefined
      ? Result.map(allocateAsked(neutron, subnet.network_id, [{ subnet_id: subnet.id }]), ([ip]) => ip)
      : claim(neutron, subnet, wanted)
  return Result.isSuccess(found) && found.success !== undefined
    ? Result.succeed(found.success)
    : refuse(409, `IP address ${wanted ?? ""} is not available in subnet ${subnet.id}.`)
}

const create = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, scope } = request
    const { now, world } = incoming
    const given = yield* bodyOf(request, creatable)
    yield* wellTyped(given)
    const project = stringAt(given, "project_id") ?? stringAt(given, "tenant_id") ?? scope.projectId
    yield* allowed(request, project)
    if (!drivers.includes(stringAt(given, "provider") ?? "amphora")) {
      return yield* refuse(400, `Provider '${stringAt(given, "provider")}' is not enabled.`)
    }
    const subnet = yield* subnetOf(request, given)
    yield* checkQuota(world.octavia, project, "loadbalancers", 1)
    const fixed = yield* addressOf(request, subnet, stringAt(given, "vip_address"))
    // The VIP is an ordinary port of the project, and counts against its quota.
    if (Result.isFailure(checkPorts(world.neutron, project, "port", 1))) {
      return yield* refuse(409, "Quota exceeded for resources: ['port'].")
    }
    const id = randomUUID()
    const draft = draftOf(request, given, { id, project, subnet, fixed })
    const parts = yield* planned(request, draft, given)
    const owner = { project, device_owner: "Octavia", device_id: `lb-${id}` }
    const port = addServicePort(
      { neutron: world.neutron, now: `${toSeconds(now)}Z` },
      owner,
      subnet.network_id,
      [fixed],
      `octavia-lb-${id}`
    )
    const balancer = { ...draft, vip_port_id: port.id }
    world.octavia.loadbalancers[id] = balancer
    for (const { child, kind } of parts) world.octavia[kind.kind][child.id] = child
    return json(201, { loadbalancer: showBalancer(world.octavia, now, balancer) })
  })

interface Placement {
  readonly id: string
  readonly project: string
  readonly subnet: Subnet
  readonly fixed: FixedIp
}

/** The load balancer without its VIP port. */
const draftOf = (
  { incoming }: Request,
  given: JsonObject,
  { fixed, id, project, subnet }: Placement
): LoadBalancer => ({
  id,
  project_id: project,
  name: stringAt(given, "name") ?? "",
  description: stringAt(given, "description") ?? "",
  admin_state_up: booleanAt(given, "admin_state_up") ?? true,
  tags: stringsAt(given, "tags") ?? [],
  provider: stringAt(given, "provider") ?? "amphora",
  vip_address: fixed.ip_address,
  vip_network_id: subnet.network_id,
  vip_subnet_id: subnet.id,
  vip_port_id: "",
  created_at: toSeconds(incoming.now),
  updated_at: null,
  ready_from: incoming.now + creationMillis,
  pending: "PENDING_CREATE",
  deleted_from: null
})

const update = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { now } = request.incoming
    const given = yield* bodyOf(request, new Set(writable))
    const balancer = yield* settled(request, yield* find(request))
    balancer.name = stringAt(given, "name") ?? balancer.name
    balancer.description = stringAt(given, "description") ?? balancer.description
    balancer.admin_state_up = booleanAt(given, "admin_state_up") ?? balancer.admin_state_up
    balancer.tags = stringsAt(given, "tags") ?? balancer.tags
    begin(now, "PENDING_UPDATE", updateMillis, [balancer])
    return json(200, { loadbalancer: showBalancer(request.incoming.world.octavia, now, balancer) })
  })

/** With `cascade` the children are deleted too; without it there must be none. */
const remove = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { now, query, world } = request.incoming
    const balancer = yield* find(request)
    const children = kinds.flatMap((_) => childrenOf(world.octavia, _, { balancer: balancer.id }))
    const cascade = ["true", "t", "1", "yes", "y", "on"].includes(query.get("cascade")?.trim().toLowerCase() ?? "")
    if (children.length > 0 && !cascade) {
      return yield* refuse(400, `Validation failure: Cannot delete Load Balancer ${balancer.id} - it has children`)
    }
    yield* settled(request, balancer)
    begin(now, "PENDING_DELETE", deletionMillis, [balancer, ...children])
    return empty(204)
  })

/** Failover, for administrators only: replaces the amphorae. */
const failover = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const balancer = yield* find(request)
    if (!request.scope.admin) return yield* policyRefused
    yield* settled(request, balancer)
    begin(request.incoming.now, "PENDING_UPDATE", creationMillis, [balancer])
    return empty(202)
  })

const status = call((request) =>
  Result.map(find(request), (balancer) => {
    const { now, world } = request.incoming
    return json(200, { statuses: { loadbalancer: statusTree(world.octavia, now, balancer) } })
  })
)

export const loadBalancerRoutes: Routes = {
  "GET /v2/lbaas/loadbalancers": call(list),
  "POST /v2/lbaas/loadbalancers": call(create),
  "GET /v2/lbaas/loadbalancers/:id": call((request) =>
    Result.map(find(request), (_) => {
      const { now, query, world } = request.incoming
      return json(200, { loadbalancer: pick(query, showBalancer(world.octavia, now, _)) })
    })
  ),
  "GET /v2/lbaas/loadbalancers/:id/status": status,
  "GET /v2/lbaas/loadbalancers/:id/statuses": status,
  "GET /v2/lbaas/loadbalancers/:id/stats": call((request) => Result.map(find(request), () => json(200, { stats }))),
  "PUT /v2/lbaas/loadbalancers/:id/failover": call(failover),
  "PUT /v2/lbaas/loadbalancers/:id": call(update),
  "DELETE /v2/lbaas/loadbalancers/:id": call(remove)
}
