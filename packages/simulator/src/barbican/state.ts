/** Who may read beside the project's own roles. */
export interface Acl {
  readonly users: ReadonlyArray<string>
  readonly project_access: boolean
  readonly created: number
  updated: number
}

export interface SecretConsumer {
  readonly id: string
  readonly project_id: string
  readonly service: string
  readonly resource_type: string
  readonly resource_id: string
  readonly created: number
}

export interface Secret {
  readonly id: string
  readonly project_id: string
  readonly creator_id: string
  readonly name: string | null
  readonly secret_type: string
  readonly algorithm: string | null
  readonly bit_length: number | null
  readonly mode: string | null
  /** Clock milliseconds; from then on it is not there. */
  readonly expiration: number | null
  readonly created: number
  updated: number
  /** The bytes in base64; null until they are given. */
  payload: string | null
  content_type: string | null
  metadata: Readonly<Record<string, string>>
  acl: Acl | null
  consumers: ReadonlyArray<SecretConsumer>
}

export interface ContainerConsumer {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly URL: string
  readonly created: number
}

export interface SecretRef {
  readonly name: string | null
  readonly secret_id: string
}

export interface Container {
  readonly id: string
  readonly project_id: string
  readonly creator_id: string
  readonly name: string | null
  readonly type: "generic" | "rsa" | "certificate"
  secrets: ReadonlyArray<SecretRef>
  readonly created: number
  updated: number
  acl: Acl | null
  consumers: ReadonlyArray<ContainerConsumer>
}

export interface Order {
  readonly id: string
  readonly project_id: string
  readonly creator_id: string
  readonly type: "key" | "asymmetric" | "certificate"
  readonly meta: Readonly<Record<string, unknown>>
  readonly created: number
  updated: number
  /** Clock milliseconds from when a worker has seen to it. */
  readonly ready_from: number
  status: "PENDING" | "ACTIVE" | "ERROR"
  secret_id: string | null
  container_id: string | null
  error: string | null
}

/** Limits that were written for a project; null where the default holds. */
export interface QuotaRow {
  readonly project_id: string
  readonly created: number
  limits: Readonly<Record<string, number | null>>
}

export interface BarbicanState {
  readonly secrets: Record<string, Secret>
  readonly containers: Record<string, Container>
  readonly orders: Record<string, Order>
  /** By project. */
  readonly quotas: Record<string, QuotaRow>
  /** `host_href`: how all references begin. Empty: the host that was asked, and the mount. */
  hostHref: string
  /** How long the workers take over an order; 0 is a system without a queue, which does it while it is asked. */
  orderMillis: number
}

export const barbican = (): BarbicanState => ({
  secrets: {},
  containers: {},
  orders: {},
  quotas: {},
  hostHref: "",
  orderMillis: 2_000
})
