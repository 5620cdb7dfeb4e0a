export interface LoadBalancer {
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
  updated_at: string | null
  /** Clock milliseconds from when the last write is done; PENDING until then. */
  ready_from: number
  pending: "PENDING_CREATE" | "PENDING_UPDATE" | "PENDING_DELETE"
  /** When a removal is done; null without one. */
  deleted_from: number | null
}

/** Limits that were written for a project; what is absent has the default. */
export interface QuotaRow {
  readonly project_id: string
  limits: Readonly<Record<string, number>>
}

export interface OctaviaState {
  readonly loadbalancers: Record<string, LoadBalancer>
  /** By project. */
  readonly quotas: Record<string, QuotaRow>
}

export const octavia = (): OctaviaState => ({ loadbalancers: {}, quotas: {} })
