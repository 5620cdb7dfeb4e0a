/** JSON that nobody has looked into. Objects are values: a change puts a new one in the place of the old. */
export type JsonObject = Readonly<Record<string, unknown>>

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
  readonly time: string
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

/** Something that happens by itself: to which object, and when. */
export interface Timer {
  readonly resource: string
  readonly key: string
  readonly uid: string
  /** Clock milliseconds. */
  readonly at: number
  /** What is to happen, where it is not the one thing that happens to objects of this resource. */
  readonly task?: Task
}

/** The garbage collector looks at the object; a database hands a segment of its log to the archive. */
export type Task = "collect" | "archive"

/** What somebody who tests lets go wrong with an object that an operator looks after. */
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
  /** What watches and continued lists can go back to: about five minutes of it. */
  readonly history: Array<Change>
  /** Who signs the tokens of accounts, and under which name. */
  readonly tokenIssuer: TokenIssuer
  /** By object uid, with the task where there is one: what still is to happen to it. */
  readonly timers: Record<string, Timer>
  /** By the uid of a volume claim: what was written to the volume, as far as it matters to anybody. */
  readonly disks: Record<string, JsonObject>
  /** By object uid. No client sees them, only what comes of them. */
  readonly ailments: Record<string, Ailment>
  /** What containers have written, by `namespace/pod/container`. */
  readonly logs: Record<string, Array<LogLine>>
  readonly counters: {
    /** The version of the whole store, and of the change made last. */
    version: number
    /** Everything up to here is forgotten by {@link history}. */
    compacted: number
    /** Pods and services have addresses of their own. */
    address: number
  }
}

/** The parts of an RSA key as JSON has them (RFC 7518, section 6.3). */
export interface PrivateJwk {
  readonly kty: "RSA"
  readonly n: string
  readonly e: string
  readonly d: string
  readonly p: string
  readonly q: string
  readonly dp: string
  readonly dq: string
  readonly qi: string
}

/** How the API server was started: `--service-account-issuer`, `-jwks-uri`, and the key files. */
export interface TokenIssuer {
  issuer: string
  /** Most often an address that only the cluster's own network knows. */
  jwksUri: string
  /** The first one signs, and tokens of all of them are believed. */
  readonly keys: Array<PrivateJwk>
}
