import type { JsonObject } from "../Json.ts"

/** Users that may read in addition to the roles of the project. */
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
  /** Clock milliseconds; an expired secret does not exist. */
  readonly expiration: number | null
  readonly created: number
  updated: number
  /** The bytes in base64; null before the upload. */
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
  readonly meta: JsonObject
  readonly created: number
  updated: number
  /** Clock milliseconds from which the worker has processed it. */
  readonly ready_from: number
  status: "PENDING" | "ACTIVE" | "ERROR"
  secret_id: string | null
  container_id: string | null
  error: string | null
}

/** Quotas that were set for a project; null means the default. */
export interface QuotaRow {
  readonly project_id: string
  readonly created: number
  limits: Readonly<Record<string, number | null>>
}

export interface BarbicanState {
  readonly secrets: Record<string, Secret>
  readonly containers: Record<string, Container>
  readonly orders: Record<string, Order>
  /** By project id. */
  readonly quotas: Record<string, QuotaRow>
  /** `host_href`: the prefix of all references. Empty: the request's host and the mount. */
  hostHref: string
  /** How long a worker takes for an order. 0: there is no queue, and the request processes the order itself. */
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
