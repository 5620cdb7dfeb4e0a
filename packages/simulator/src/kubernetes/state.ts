import type { PrivateJwk } from "../rsaKeys.ts"
import type { JsonObject } from "../Json.ts"

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

export type Meta = JsonObject & {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** RFC 3339 with whole seconds, as the API server writes times. */
  readonly creationTimestamp: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: ReadonlyArray<string>
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly generation?: number
  readonly managedFields?: ReadonlyArray<ManagedFields>
}

export interface ManagedFields {
  readonly manager: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  readonly time?: string
  readonly fieldsType: "FieldsV1"
  readonly fieldsV1: JsonObject
  readonly subresource?: string
}

/** A stored object. */
export type Thing = JsonObject & {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Meta
}

export interface Change {
  readonly version: number
  /** Clock milliseconds. */
  readonly at: number
  /** As {@link KubernetesState.objects} is keyed. */
  readonly resource: string
  /** `namespace/name`, or `/name` of what has no namespace. */
  readonly key: string
  readonly before: Thing | null
  readonly after: Thing | null
}

/** A timed change: its object and its due time. */
export interface Timer {
  readonly resource: string
  readonly key: string
  readonly uid: string
  /** Clock milliseconds. */
  readonly at: number
  /** The task, when the resource has more than one. */
  readonly task?: Task
}

/** A collection by the garbage collector; a database's WAL archiving. */
export type Task = "collect" | "archive"

/** A fault that a test injected into an object of an operator. */
export interface Ailment {
  /** The phase of a `Cluster`, the reason of a `Kafka`. */
  readonly phase: string
  readonly reason: string
  readonly readyInstances: number
}

export interface LogLine {
  /** Clock milliseconds. */
  readonly at: number
  readonly text: string
}

export interface KubernetesState {
  /** By resource (`pods`, `clusters.postgresql.cnpg.io`), then by `namespace/name`. */
  readonly objects: Record<string, Record<string, Thing>>
  /** The history that watches and continued lists can read: about five minutes. */
  readonly history: Array<Change>
  /** The issuer and the signing keys of service account tokens. */
  readonly tokenIssuer: TokenIssuer
  /** By object uid, and task where there is one: the pending timed changes. */
  readonly timers: Record<string, Timer>
  /** By the uid of a volume claim: the volume's content, as far as the simulator needs it. */
  readonly disks: Record<string, JsonObject>
  /** By object uid. Clients see only the effects. */
  readonly ailments: Record<string, Ailment>
  /** Logs, by `namespace/pod/container`. */
  readonly logs: Record<string, Array<LogLine>>
  readonly counters: {
    /** The version of the whole store, which is that of the last change. */
    version: number
    /** {@link history} has no changes up to this version. */
    compacted: number
    /** The next addresses of pods and services. */
    address: number
  }
}

/** Flags of the API server: `--service-account-issuer`, `-jwks-uri`, and the key files. */
export interface TokenIssuer {
  issuer: string
  /** Usually an address of the cluster's own network. */
  jwksUri: string
  /** The first key signs; tokens of all keys are valid. */
  readonly keys: Array<PrivateJwk>
}
