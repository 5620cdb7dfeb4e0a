import type { JsonObject } from "../Json.ts"
import { toSeconds } from "../times.ts"
import type { Child, Children, LoadBalancer, OctaviaState } from "./state.ts"
import { childrenOf, statusOf } from "./tree.ts"

const ids = (things: ReadonlyArray<{ readonly id: string }>) => things.map(({ id }) => ({ id }))

export const showBalancer = (octavia: OctaviaState, now: number, balancer: LoadBalancer): JsonObject => {
  const { deleted_from: _, pending, ready_from, ...shown } = balancer
  const provisioning_status = now < ready_from ? pending : "ACTIVE"
  return {
    ...shown,
    tenant_id: balancer.project_id,
    provisioning_status,
    // The end of the creation counts as an update.
    updated_at: shown.updated_at ?? (now < ready_from ? null : toSeconds(ready_from)),
    operating_status: provisioning_status === "PENDING_CREATE" ? "OFFLINE" : "ONLINE",
    listeners: ids(childrenOf(octavia, "listeners", { balancer: balancer.id })),
    pools: ids(childrenOf(octavia, "pools", { balancer: balancer.id })),
    additional_vips: [],
    vip_qos_policy_id: null,
    flavor_id: null,
    availability_zone: null
  }
}

/** A member is ONLINE only if its pool has a health monitor, otherwise NO_MONITOR. */
const operatingOf = (octavia: OctaviaState, kind: Children, child: Child, status: string): string => {
  if (status === "PENDING_CREATE") return "OFFLINE"
  if (kind !== "members") return "ONLINE"
  const monitored = childrenOf(octavia, "healthmonitors", { key: "pool_id", id: String(child.fields["pool_id"]) })
  return monitored.length > 0 ? "ONLINE" : "NO_MONITOR"
}

const relations = (octavia: OctaviaState, kind: Children, child: Child): JsonObject => {
  const { fields, id, loadbalancer_id } = child
  const of = (next: Children, key: string) => ids(childrenOf(octavia, next, { key, id }))
  if (kind === "listeners") {
    return { loadbalancers: [{ id: loadbalancer_id }], l7policies: of("l7policies", "listener_id") }
  }
  if (kind === "pools") {
    return {
      loadbalancers: [{ id: loadbalancer_id }],
      listeners: of("listeners", "default_pool_id"),
      members: of("members", "pool_id"),
      healthmonitor_id: of("healthmonitors", "pool_id")[0]?.id ?? null
    }
  }
  if (kind === "healthmonitors") return { pools: [{ id: fields["pool_id"] }] }
  return kind === "l7policies" ? { rules: of("l7rules", "l7policy_id") } : {}
}

/** The references to a child; its parent's key is shown as a relation. */
const withoutParent: Readonly<Record<Children, string>> = {
  listeners: "loadbalancer_id",
  pools: "loadbalancer_id",
  members: "pool_id",
  healthmonitors: "pool_id",
  l7policies: "",
  l7rules: "l7policy_id"
}

export const showChild = (octavia: OctaviaState, now: number, kind: Children, child: Child): JsonObject => {
  const { [withoutParent[kind]]: _, ...fields } = child.fields
  const provisioning_status = statusOf(child, now)
  return {
    ...fields,
    id: child.id,
    project_id: child.project_id,
    tenant_id: child.project_id,
    created_at: child.created_at,
    updated_at: child.updated_at,
    provisioning_status,
    operating_status: operatingOf(octavia, kind, child, provisioning_status),
    ...relations(octavia, kind, child)
  }
}

/** The tree of statuses below a balancer. */
export const statusTree = (octavia: OctaviaState, now: number, balancer: LoadBalancer): unknown => {
  const brief = (kind: Children, child: Child) => {
    const { id, name, operating_status, provisioning_status } = showChild(octavia, now, kind, child)
    return { id, name, operating_status, provisioning_status }
  }
  const pool = (child: Child) => ({
    ...brief("pools", child),
    members: childrenOf(octavia, "members", { key: "pool_id", id: child.id }).map((_) => ({
      ...brief("members", _),
      address: _.fields["address"],
      protocol_port: _.fields["protocol_port"]
    })),
    ...Object.fromEntries(
      childrenOf(octavia, "healthmonitors", { key: "pool_id", id: child.id }).map((_) => [
        "health_monitor",
        { ...brief("healthmonitors", _), type: _.fields["type"] }
      ])
    )
  })
  const where = { balancer: balancer.id }
  const { id, name, operating_status, provisioning_status } = showBalancer(octavia, now, balancer)
  const pools = childrenOf(octavia, "pools", where)
  return {
    id,
    name,
    operating_status,
    provisioning_status,
    listeners: childrenOf(octavia, "listeners", where).map((listener) => ({
      ...brief("listeners", listener),
      pools: childrenOf(octavia, "pools", where)
        .filter((_) => _.id === listener.fields["default_pool_id"])
        .map(pool)
    })),
    ...(pools.length === 0 ? {} : { pools: pools.map(pool) })
  }
}
