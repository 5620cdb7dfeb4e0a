import { randomUUID } from "node:crypto"
import { Result } from "effect"
import { booleanAt, has, objectAt, stringAt, stringsAt } from "../Json.ts"
import { allocate, claim } from "../neutron/addresses.ts"
import { addServicePort } from "../neutron/ports.ts"
import { checkQuota } from "../neutron/quotas.ts"
import type { FixedIp, Subnet } from "../neutron/state.ts"
import { type Answer, empty, json, type Routes } from "../Wire.ts"
import { allowed, call, refuse, type Request, type Step } from "./policy.ts"
import { loadBalancersAllowed } from "./quotas.ts"
import type { LoadBalancer } from "./state.ts"

/** How long the workers take; until then the balancer is locked. */
const creationMillis = 3_000
const updateMillis = 1_000
const deletionMillis = 2_000

const stamp = (now: number) => new Date(now).toISOString().slice(0, 19)

const statusOf = ({ pending, ready_from }: LoadBalancer, now: number) => (now < ready_from ? pending : "ACTIVE")

const show = (now: number, { deleted_from: _, pending, ready_from, ...balancer }: LoadBalancer) => {
  const provisioning_status = statusOf({ ...balancer, deleted_from: _, pending, ready_from }, now)
  return {
    ...balancer,
    tenant_id: balancer.project_id,
    provisioning_status,
    operating_status: provisioning_status === "PENDING_CREATE" ? "OFFLINE" : "ONLINE",
    listeners: [],
    pools: [],
    additional_vips: [],
    vip_qos_policy_id: null,
    flavor_id: null,
    availability_zone: null
  }
}

const find = (request: Request): Step<LoadBalancer> => {
  const id = request.incoming.params["id"] ?? ""
  const { loadbalancers } = request.incoming.world.octavia
  const balancer = Object.hasOwn(loadbalancers, id) ? loadbalancers[id] : undefined
  return balancer === undefined
    ? refuse(404, `Load Balancer ${id} not found.`)
    : Result.map(allowed(request, balancer.project_id), () => balancer)
}

const mutable = (request: Request): Step<LoadBalancer> =>
  Result.flatMap(find(request), (balancer) =>
    statusOf(balancer, request.incoming.now) === "ACTIVE"
      ? Result.succeed(balancer)
      : refuse(409, `Load Balancer ${balancer.id} is immutable and cannot be updated.`)
  )

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
const paging = new Set(["fields", "limit", "marker", "page_reverse", "sort"])

const list = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { now, query, world } = request.incoming
    const keys = [...query.keys()]
    const wrong = keys.some((_) => !filters.has(_) && !paging.has(_))
    if (wrong) return yield* refuse(400, "One or more arguments are either duplicate or invalid")
    const project = query.get("project_id") ?? query.get("tenant_id")
    if (project !== null) yield* allowed(request, project)
    const shown: ReadonlyArray<Record<string, unknown>> = Object.values(world.octavia.loadbalancers)
      .filter((_) => request.scope.admin || _.project_id === request.scope.projectId)
      .map((_) => show(now, _))
    const found = shown.filter((one) =>
      keys.filter((_) => filters.has(_)).every((_) => query.getAll(_).includes(String(one[_])))
    )
    const page = pageOf(query, found)
    const fields = query.getAll("fields").flatMap((_) => _.split(","))
    const picked = page.map((_) =>
      fields.length === 0 ? _ : Object.fromEntries(fields.map((field) => [field, _[field]]))
    )
    const limit = Number(query.get("limit") ?? found.length)
    const last = page.at(-1)
    const next = `http://load-balancer.internal:9876/v2/lbaas/loadbalancers?limit=${limit}&marker=${String(last?.["id"])}`
    const more = last !== undefined && found.at(-1) !== last
    return json(200, { loadbalancers: picked, loadbalancers_links: more ? [{ rel: "next", href: next }] : [] })
  })

const pageOf = <T extends Record<string, unknown>>(query: URLSearchParams, found: ReadonlyArray<T>) => {
  const start = found.findIndex((_) => _["id"] === query.get("marker")) + 1
  return found.slice(start, start + Number(query.get("limit") ?? found.length))
}

const writable = ["name", "description", "admin_state_up", "tags"]
/** Children and flavors of the create body are not simulated, and refused rather than dropped. */
const creatable = new Set([
  ...writable,
  "project_id",
  "tenant_id",
  "provider",
  "vip_address",
  "vip_network_id",
  "vip_subnet_id"
])

const bodyOf = ({ incoming }: Request, known: { has(key: string): boolean }) => {
  if (!has(incoming.json, "loadbalancer")) return refuse(400, 'Missing argument: "load_balancer"')
  const given = objectAt(incoming.json, "loadbalancer")
  const unknown = Object.keys(given).find((_) => !known.has(_))
  return unknown === undefined
    ? Result.succeed(given)
    : refuse(400, `Unknown attribute for argument load_balancer.loadbalancer: ${unknown}`)
}

/** The caller must be able to see the network that the address is taken from. */
const subnetOf = ({ incoming, scope }: Request, given: ReturnType<typeof objectAt>): Step<Subnet> => {
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
      ? Result.map(allocate(neutron, subnet.network_id), (_) => _.find((ip) => ip.subnet_id === subnet.id))
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
    const project = stringAt(given, "project_id") ?? stringAt(given, "tenant_id") ?? scope.projectId
    yield* allowed(request, project)
    const subnet = yield* subnetOf(request, given)
    if (!loadBalancersAllowed(world.octavia, project)) {
      return yield* refuse(403, "Quota has been met for resources: Load Balancer")
    }
    const fixed = yield* addressOf(request, subnet, stringAt(given, "vip_address"))
    // The address is an ordinary port of the project, and charged to it.
    if (Result.isFailure(checkQuota(world.neutron, project, "port", 1))) {
      return yield* refuse(409, "Quota exceeded for resources: ['port'].")
    }
    const id = randomUUID()
    const owner = { project, device_owner: "Octavia", device_id: `lb-${id}` }
    const port = addServicePort(
      { neutron: world.neutron, now: `${stamp(now)}Z` },
      owner,
      subnet.network_id,
      [fixed],
      `octavia-lb-${id}`
    )
    const balancer: LoadBalancer = {
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
      vip_port_id: port.id,
      created_at: stamp(now),
      updated_at: null,
      ready_from: now + creationMillis,
      pending: "PENDING_CREATE",
      deleted_from: null
    }
    world.octavia.loadbalancers[id] = balancer
    return json(201, { loadbalancer: show(now, balancer) })
  })

const lock = (balancer: LoadBalancer, pending: LoadBalancer["pending"], now: number, millis: number) => {
  balancer.pending = pending
  balancer.ready_from = now + millis
  balancer.updated_at = stamp(now)
}

const update = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { now } = request.incoming
    const given = yield* bodyOf(request, new Set(writable))
    const balancer = yield* mutable(request)
    balancer.name = stringAt(given, "name") ?? balancer.name
    balancer.description = stringAt(given, "description") ?? balancer.description
    balancer.admin_state_up = booleanAt(given, "admin_state_up") ?? balancer.admin_state_up
    balancer.tags = stringsAt(given, "tags") ?? balancer.tags
    lock(balancer, "PENDING_UPDATE", now, updateMillis)
    return json(200, { loadbalancer: show(now, balancer) })
  })

/** `cascade` changes nothing as long as there are no children. */
const remove = (request: Request): Step<Answer> =>
  Result.map(mutable(request), (balancer) => {
    const { now } = request.incoming
    lock(balancer, "PENDING_DELETE", now, deletionMillis)
    balancer.deleted_from = balancer.ready_from
    return empty(204)
  })

const status = (request: Request): Step<Answer> =>
  Result.map(find(request), (balancer) => {
    const { id, name, operating_status, provisioning_status } = show(request.incoming.now, balancer)
    const loadbalancer = { id, name, operating_status, provisioning_status, listeners: [], pools: [] }
    return json(200, { statuses: { loadbalancer } })
  })

export const loadBalancerRoutes: Routes = {
  "GET /v2/lbaas/loadbalancers": call(list),
  "POST /v2/lbaas/loadbalancers": call(create),
  "GET /v2/lbaas/loadbalancers/:id": call((request) =>
    Result.map(find(request), (_) => json(200, { loadbalancer: show(request.incoming.now, _) }))
  ),
  "GET /v2/lbaas/loadbalancers/:id/status": call(status),
  "PUT /v2/lbaas/loadbalancers/:id": call(update),
  "DELETE /v2/lbaas/loadbalancers/:id": call(remove)
}
