import type { JsonObject } from "../Json.ts"

/** The status of every child and load balancer: pending until its last write is done. */
export interface Worked {
  pending: "PENDING_CREATE" | "PENDING_UPDATE" | "PENDING_DELETE"
  /** Clock milliseconds from when the last write is done; PENDING until then. */
  ready_from: number
  /** When a removal is done; null without one. */
  deleted_from: number | null
  updated_at: string | null
}

export interface LoadBalancer extends Worked {
  readonly id: string
  readonly project_id: string
  name: string
  description: string
  admin_state_up: boolean
  tags: ReadonlyArray<string>
  readonly provider: string
  readonly vip_address: string
  readonly vip_network_id: string
  readonly vip_subnet_id: string
  readonly vip_port_id: string
  readonly created_at: string
}

/** A listener, pool, member, health monitor, L7 policy or L7 rule. */
export interface Child extends Worked {
  readonly id: string
  readonly project_id: string
  readonly loadbalancer_id: string
  /** The attributes under their names on the wire, the parent's id among them. */
  fields: JsonObject
  readonly created_at: string
}

/** Quotas that were set for a project; a missing key means the default. */
export interface QuotaRow {
  readonly project_id: string
  limits: Readonly<Record<string, number>>
}

export const kinds = ["listeners", "pools", "members", "healthmonitors", "l7policies", "l7rules"] as const

export type Children = (typeof kinds)[number]

export interface OctaviaState extends Readonly<Record<Children, Record<string, Child>>> {
  readonly loadbalancers: Record<string, LoadBalancer>
  /** By project. */
  readonly quotas: Record<string, QuotaRow>
}

export const octavia = (): OctaviaState => ({
  loadbalancers: {},
  listeners: {},
  pools: {},
  members: {},
  healthmonitors: {},
  l7policies: {},
  l7rules: {},
  quotas: {}
})
