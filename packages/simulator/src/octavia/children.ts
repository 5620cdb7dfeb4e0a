import { Result } from "effect"
import { has, type JsonObject, objectAt, stringAt } from "../Json.ts"
import { type Answer, empty, json, type Routes, type Step } from "../Wire.ts"
import { read, wrapped } from "./body.ts"
import { healthMonitors, type Kind, l7policies, l7rules, listeners, members, pools } from "./kinds.ts"
import { listed, pick } from "./lists.ts"
import { checkPart, newPart, locate, room } from "./parts.ts"
import { allowed, call, refuse, type Request } from "./policy.ts"
import { showChild } from "./show.ts"
import type { Child, LoadBalancer } from "./state.ts"
import {
  above,
  balancerFor,
  begin,
  below,
  childFor,
  childrenOf,
  creationMillis,
  deletionMillis,
  mutable,
  titles,
  updateMillis
} from "./tree.ts"

const answer = (request: Request, status: number, { kind, resource }: Kind, child: Child): Answer => {
  const { now, query, world } = request.incoming
  return json(status, { [resource]: pick(query, showChild(world.octavia, now, kind, child)) })
}

/** The child of the path; a child below another child must belong to it. */
const find = (request: Request, { kind, within }: Kind): Step<Child> =>
  Result.flatMap(childFor(request, kind, request.incoming.params["id"] ?? ""), (child) =>
    within === undefined || child.fields[within.key] === request.incoming.params["parent"]
      ? Result.succeed(child)
      : refuse(404, `${titles[kind]} ${child.id} not found.`)
  )

const filtersOf = (kind: Kind): ReadonlySet<string> =>
  new Set([
    ...Object.keys(kind.fields),
    "id",
    "project_id",
    "tenant_id",
    "created_at",
    "updated_at",
    "provisioning_status",
    "operating_status"
  ])

const list = (request: Request, kind: Kind): Step<Answer> =>
  Result.gen(function* () {
    const { now, params, query, world } = request.incoming
    const { within } = kind
    if (within !== undefined) yield* childFor(request, within.kind, params["parent"] ?? "")
    const project = query.get("project_id") ?? query.get("tenant_id")
    if (project !== null) yield* allowed(request, project)
    const where = within === undefined ? {} : { key: within.key, id: params["parent"] ?? "" }
    const found = childrenOf(world.octavia, kind.kind, where)
      .filter((_) => request.scope.admin || _.project_id === request.scope.projectId)
      .map((_) => ({ ..._.fields, ...showChild(world.octavia, now, kind.kind, _) }))
    return yield* listed(request, kind.collection, filtersOf(kind), found)
  })

/** A pool that is created with a listener becomes its default pool. */
const serve = (request: Request, pool: Child, listenerId: string | undefined): Step<void> => {
  const listener = listenerId === undefined ? undefined : request.incoming.world.octavia.listeners[listenerId]
  if (listener === undefined) return Result.void
  if (listener.fields["default_pool_id"] !== null) return refuse(409, "This listener already has a default pool")
  listener.fields = { ...listener.fields, default_pool_id: pool.id }
  return Result.void
}

const create = (request: Request, kind: Kind): Step<Answer> =>
  Result.gen(function* () {
    const { incoming } = request
    const { now, world } = incoming
    const given = yield* wrapped(incoming, kind.resource)
    const values = yield* read(kind.fields, kind.resource, given, "POST")
    const place = yield* locate(request, kind, given)
    yield* room(request, kind.kind, place.balancer.project_id, 1)
    const balancer = yield* mutable(request, place.balancer)
    const parent = kind.within === undefined ? {} : { [kind.within.key]: place.parent?.id }
    const fields: JsonObject = { ...values, ...parent }
    yield* checkPart(request, kind.kind, balancer.id, fields)
    const child = newPart(request, balancer, fields)
    if (kind.kind === "pools") yield* serve(request, child, stringAt(given, "listener_id"))
    world.octavia[kind.kind][child.id] = child
    begin(now, "PENDING_UPDATE", creationMillis, above(world.octavia, kind.kind, child))
    return answer(request, 201, kind, child)
  })

const lockedTree = (request: Request, child: Child): Step<LoadBalancer> =>
  Result.flatMap(balancerFor(request, child.loadbalancer_id), (_) => mutable(request, _))

const update = (request: Request, kind: Kind): Step<Answer> =>
  Result.gen(function* () {
    const { incoming } = request
    const given = yield* wrapped(incoming, kind.resource)
    const values = yield* read(kind.fields, kind.resource, given, "PUT")
    const child = yield* find(request, kind)
    const balancer = yield* lockedTree(request, child)
    const fields = { ...child.fields, ...values }
    yield* checkPart(request, kind.kind, balancer.id, fields, child.id)
    child.fields = fields
    begin(incoming.now, "PENDING_UPDATE", updateMillis, [child, ...above(incoming.world.octavia, kind.kind, child)])
    return answer(request, 200, kind, child)
  })

const remove = (request: Request, kind: Kind): Step<Answer> =>
  Result.gen(function* () {
    const { now, world } = request.incoming
    const child = yield* find(request, kind)
    const policy = childrenOf(world.octavia, "l7policies", { key: "redirect_pool_id", id: child.id })[0]
    if (kind.kind === "pools" && policy !== undefined) {
      return yield* refuse(409, `Pool ${child.id} is in use by L7 policy ${policy.id}`)
    }
    yield* lockedTree(request, child)
    begin(now, "PENDING_UPDATE", deletionMillis, above(world.octavia, kind.kind, child))
    begin(now, "PENDING_DELETE", deletionMillis, [child, ...below(world.octavia, kind.kind, child)])
    return empty(204)
  })

const keyOf = (values: JsonObject) => `${String(values["address"])} ${String(values["protocol_port"])}`

/** Replaces all members of a pool: unlisted members are removed, unless `additive_only` is set. */
const replaceMembers = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { json: body, now, query, world } = request.incoming
    const asked = objectAt(body)["members"]
    if (!has(body, "members") || !Array.isArray(asked)) return yield* refuse(400, 'Missing argument: "members_"')
    const { balancer, parent } = yield* locate(request, members, {})
    const pool_id = parent?.id ?? ""
    const wanted: Array<JsonObject> = []
    for (const one of asked) {
      wanted.push({ ...(yield* read(members.fields, "member", objectAt(one), "POST")), pool_id })
    }
    const old = childrenOf(world.octavia, "members", { key: "pool_id", id: pool_id })
    const fresh = wanted.filter((one) => !old.some((_) => keyOf(_.fields) === keyOf(one)))
    yield* room(request, "members", balancer.project_id, fresh.length)
    yield* mutable(request, balancer)
    for (const one of fresh) yield* checkPart(request, "members", balancer.id, one)
    const additive = ["true", "1"].includes(query.get("additive_only")?.toLowerCase() ?? "")
    for (const one of old) {
      const again = wanted.find((_) => keyOf(_) === keyOf(one.fields))
      if (again !== undefined) {
        one.fields = again
        begin(now, "PENDING_UPDATE", updateMillis, [one])
      } else if (!additive) begin(now, "PENDING_DELETE", updateMillis, [one])
    }
    for (const one of fresh) {
      const child = newPart(request, balancer, one)
      world.octavia.members[child.id] = child
    }
    if (parent !== undefined)
      begin(now, "PENDING_UPDATE", creationMillis, [parent, ...above(world.octavia, "pools", parent)])
    return empty(202)
  })

const routesOf = (kind: Kind): Routes => {
  const parent = kind.within === undefined ? "" : `/${kind.within.kind}/:parent`
  const url = `/v2/lbaas${parent}/${kind.collection}`
  return {
    [`GET ${url}`]: call((_) => list(_, kind)),
    [`POST ${url}`]: call((_) => create(_, kind)),
    [`GET ${url}/:id`]: call((request) => Result.map(find(request, kind), (_) => answer(request, 200, kind, _))),
    [`PUT ${url}/:id`]: call((_) => update(_, kind)),
    [`DELETE ${url}/:id`]: call((_) => remove(_, kind))
  }
}

export const stats = { bytes_in: 0, bytes_out: 0, active_connections: 0, total_connections: 0, request_errors: 0 }

export const childRoutes: Routes = {
  ...routesOf(listeners),
  ...routesOf(pools),
  ...routesOf(members),
  ...routesOf(healthMonitors),
  ...routesOf(l7policies),
  ...routesOf(l7rules),
  "PUT /v2/lbaas/pools/:parent/members": call(replaceMembers),
  "GET /v2/lbaas/listeners/:id/stats": call((request) =>
    Result.map(find(request, listeners), () => json(200, { stats }))
  )
}
