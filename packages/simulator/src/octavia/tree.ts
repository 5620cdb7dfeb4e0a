import { Result } from "effect"
import { stringAt } from "../Json.ts"
import { allowed, refuse, type Request, type Step } from "./policy.ts"
import type { Child, Children, LoadBalancer, OctaviaState, Worked } from "./state.ts"

/** How long the workers take; until then the whole balancer is locked. */
export const creationMillis = 3_000
export const updateMillis = 1_000
export const deletionMillis = 2_000

/** As the service spells them in its refusals. */
export const titles: Readonly<Record<Children, string>> = {
  listeners: "Listener",
  pools: "Pool",
  members: "Member",
  healthmonitors: "Health Monitor",
  l7policies: "L7 Policy",
  l7rules: "L7 Rule"
}

export const stamp = (now: number): string => new Date(now).toISOString().slice(0, 19)

export const statusOf = ({ pending, ready_from }: Worked, now: number): string =>
  now < ready_from ? pending : "ACTIVE"

/** Hands things over to the workers: pending from now on, all for the same time. */
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
    thing.updated_at = stamp(now)
    if (pending === "PENDING_DELETE") thing.deleted_from = thing.ready_from
  }
}

/** The parts of one balancer, or those among them that belong to one thing, in the order of their making. */
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
  const balancer = Object.hasOwn(loadbalancers, id) ? loadbalancers[id] : undefined
  return balancer === undefined
    ? refuse(404, `Load Balancer ${id} not found.`)
    : Result.map(allowed(request, balancer.project_id), () => balancer)
}

/** A part of a balancer by id: another project's is refused and not hidden. */
export const childFor = (request: Request, kind: Children, id: string): Step<Child> => {
  const things = request.incoming.world.octavia[kind]
  const child = Object.hasOwn(things, id) ? things[id] : undefined
  return child === undefined
    ? refuse(404, `${titles[kind]} ${id} not found.`)
    : Result.map(allowed(request, child.project_id), () => child)
}

/** The 409 of a tree in which anything is still being written. */
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

/** What is locked together with a part: everything above it, and the listeners that a pool serves. */
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

/** What goes together with a part. */
export const below = (octavia: OctaviaState, kind: Children, child: Child): ReadonlyArray<Child> =>
  downward[kind].flatMap(([next, key]) =>
    childrenOf(octavia, next, { key, id: child.id }).flatMap((_) => [_, ...below(octavia, next, _)])
  )
