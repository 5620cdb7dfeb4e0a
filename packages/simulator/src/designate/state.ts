/** The pending action of the workers; done from `ready_from` on. */
export type Pending = "CREATE" | "UPDATE" | "DELETE"

export interface Zone {
  readonly id: string
  /** Changes with a zone transfer. */
  project_id: string
  readonly name: string
  email: string
  ttl: number
  serial: number
  description: string | null
  readonly type: "PRIMARY" | "SECONDARY"
  masters: ReadonlyArray<string>
  readonly attributes: Readonly<Record<string, string>>
  version: number
  readonly created_at: number
  updated_at: number | null
  pending: Pending
  /** Clock milliseconds from which the name servers have the last change. */
  ready_from: number
  /** When a removal is done; null without one. */
  deleted_from: number | null
}

export interface Recordset {
  readonly id: string
  readonly zone_id: string
  readonly name: string
  readonly type: string
  records: ReadonlyArray<string>
  ttl: number | null
  description: string | null
  /** SOA and NS of the apex, which the service manages itself. */
  readonly managed: boolean
  version: number
  readonly created_at: number
  updated_at: number | null
  pending: Pending
  ready_from: number
}

export interface Import {
  readonly id: string
  readonly project_id: string
  /** The zone file; a worker reads it at `ready_from`. */
  readonly text: string
  status: "PENDING" | "COMPLETE" | "ERROR"
  message: string | null
  zone_id: string | null
  readonly created_at: number
  updated_at: number | null
  readonly ready_from: number
}

export interface Export {
  readonly id: string
  readonly project_id: string
  readonly zone_id: string
  readonly created_at: number
  readonly ready_from: number
}

export interface TransferRequest {
  readonly id: string
  readonly zone_id: string
  readonly zone_name: string
  readonly project_id: string
  readonly target_project_id: string | null
  description: string | null
  readonly key: string
  status: "ACTIVE" | "COMPLETE"
  readonly created_at: number
  updated_at: number | null
}

export interface TransferAccept {
  readonly id: string
  readonly zone_transfer_request_id: string
  readonly zone_id: string
  readonly project_id: string
  readonly key: string
  readonly created_at: number
}

/** Quotas that were set for a project; a missing key means the default. */
export interface QuotaRow {
  readonly project_id: string
  limits: Readonly<Record<string, number>>
}

export interface DesignateState {
  readonly zones: Record<string, Zone>
  readonly recordsets: Record<string, Recordset>
  readonly imports: Record<string, Import>
  readonly exports: Record<string, Export>
  readonly transferRequests: Record<string, TransferRequest>
  readonly transferAccepts: Record<string, TransferAccept>
  /** By project. */
  readonly quotas: Record<string, QuotaRow>
}

export const designate = (): DesignateState => ({
  zones: {},
  recordsets: {},
  imports: {},
  exports: {},
  transferRequests: {},
  transferAccepts: {},
  quotas: {}
})

/** The name servers of the only pool. */
export const nameServers = ["ns1.dns.simulated.", "ns2.dns.simulated."] as const

export const poolId = "794ccc2c-d751-44fe-b57f-8894c9f5c842"

/** How long the workers take to update the name servers, and to read a zone file. */
export const workMillis = 2_000

/** Names are compared case-insensitively, as in the stock databases. */
export const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Whether a name lies below a zone's name, at any depth. */
export const isBelow = (name: string, zone: string): boolean => name.toLowerCase().endsWith(`.${zone.toLowerCase()}`)

export const recordsetsOf = ({ recordsets }: DesignateState, zoneId: string): ReadonlyArray<Recordset> =>
  Object.values(recordsets).filter((_) => _.zone_id === zoneId)
