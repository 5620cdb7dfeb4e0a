import { Result } from "effect"
import { entry, stringAt } from "../Json.ts"
import type { Step } from "../Wire.ts"
import { toSeconds } from "../times.ts"
import { allowed, refuse, type Request } from "./policy.ts"
import type { Child, Children, LoadBalancer, OctaviaState, Worked } from "./state.ts"

/** How long the workers take; the whole load balancer is locked until then. */
export const creationMillis = 3_000
export const updateMillis = 1_000
export const deletionMillis = 2_000

/** The names of the kinds in refusals. */
export const titles: Readonly<Record<Children, string>> = {
  listeners: "Listener",
  pools: "Pool",
  members: "Member",
  healthmonitors: "Health Monitor",
  l7policies: "L7 Policy",
  l7rules: "L7 Rule"
}

export const statusOf = ({ pending, ready_from }: Worked, now: number): string =>
  now < ready_from ? pending : "ACTIVE"

/** Marks objects as pending, all for the same time. */
export const begin = (
  now: number,
  pending: Worked["pending"],
  millis: number,
  things: ReadonlyArray<Worked | undefined>
): void => {
  for (const thing of things) {
    if (thing === undefined) continue
    thing.pending = pending
    thing.ready_from = now + millis
    thing.updated_at = toSeconds(now)
    if (pending === "PENDING_DELETE") thing.deleted_from = thing.ready_from
  }
}

/** The children of one load balancer, or of one of its children, in the order of their creation. */
export const childrenOf = (
  octavia: OctaviaState,
  kind: Children,
  where: { readonly balancer?: string; readonly key?: string; readonly id?: string }
): ReadonlyArray<Child> =>
  Object.values(octavia[kind]).filter(
    (_) =>
      (where.balancer === undefined || _.loadbalancer_id === where.balancer) &&
      (where.key === undefined || _.fields[where.key] === where.id)
  )

export const balancerFor = (request: Request, id: string): Step<LoadBalancer> => {
  const { loadbalancers } = request.incoming.world.octavia
  const balancer = entry(loadbalancers, id)
  return balancer === undefined
    ? refuse(404, `Load Balancer ${id} not found.`)
    : Result.map(allowed(request, balancer.project_id), () => balancer)
}

/** A child of a load balancer by id: another project's is a 403, not a 404. */
export const childFor = (request: Request, kind: Children, id: string): Step<Child> => {
  const things = request.incoming.world.octavia[kind]
  const child = entry(things, id)
  return child === undefined
    ? refuse(404, `${titles[kind]} ${id} not found.`)
    : Result.map(allowed(request, child.project_id), () => child)
}

/** The 409 of a load balancer with a pending write. */
export const mutable = ({ incoming }: Request, balancer: LoadBalancer): Step<LoadBalancer> =>
  statusOf(balancer, incoming.now) === "ACTIVE"
    ? Result.succeed(balancer)
    : refuse(409, `Load Balancer ${balancer.id} is immutable and cannot be updated.`)

const upward: Readonly<Record<Children, readonly [string, Children] | null>> = {
  listeners: null,
  pools: null,
  members: ["pool_id", "pools"],
  healthmonitors: ["pool_id", "pools"],
  l7policies: ["listener_id", "listeners"],
  l7rules: ["l7policy_id", "l7policies"]
}

/** The objects that a write of a child locks: its ancestors, and the listeners that use a pool. */
export const above = (octavia: OctaviaState, kind: Children, child: Child): ReadonlyArray<Worked> => {
  const balancer = octavia.loadbalancers[child.loadbalancer_id]
  const [key, next] = upward[kind] ?? []
  const parent = key === undefined || next === undefined ? undefined : octavia[next][stringAt(child.fields, key) ?? ""]
  const served = kind === "pools" ? childrenOf(octavia, "listeners", { key: "default_pool_id", id: child.id }) : []
  const own = next === undefined || parent === undefined ? [] : [parent, ...above(octavia, next, parent)]
  return [...(balancer === undefined ? [] : [balancer]), ...own, ...served]
}

const downward: Readonly<Record<Children, ReadonlyArray<readonly [Children, string]>>> = {
  listeners: [["l7policies", "listener_id"]],
  pools: [
    ["members", "pool_id"],
    ["healthmonitors", "pool_id"]
  ],
  members: [],
  healthmonitors: [],
  l7policies: [["l7rules", "l7policy_id"]],
  l7rules: []
}

/** The objects that are deleted with a child. */
export const below = (octavia: OctaviaState, kind: Children, child: Child): ReadonlyArray<Child> =>
  downward[kind].flatMap(([next, key]) =>
    childrenOf(octavia, next, { key, id: child.id }).flatMap((_) => [_, ...below(octavia, next, _)])
  )
