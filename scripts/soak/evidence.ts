/** A request as its client saw it. Times are milliseconds since the beginning of the run. */
export interface Call {
  readonly sentAt: number
  readonly endedAt: number
  readonly method: string
  /** What of the load it belongs to. */
  readonly area: string
  readonly path: string
  /** Null without an answer. */
  readonly status: number | null
  readonly code: string | undefined
  readonly requestId: string | undefined
  /** The process that was asked: the replica's name and its start. */
  readonly process: string
  readonly tenant: string | undefined
  /** The answer to an earlier call under the same key. */
  readonly replayed: boolean
  /** Of a 429. */
  readonly retryAfter: number | undefined
}

/** What a webhook's receiver got, and what it answered. */
export interface Received {
  readonly webhook: string
  readonly eventId: string
  readonly at: number
  readonly signature: "good" | "wrong" | "unknown"
  readonly answered: number
}

/** The life of a gateway process. */
export interface ProcessLife {
  readonly name: string
  readonly startedAt: number
  readyAt: number | undefined
  endedAt: number | undefined
  /** Whether the run ended it. */
  expected: boolean
  how: string | undefined
}

/** What was done to the system, and when. */
export interface Disturbance {
  readonly kind: string
  readonly what: string
  readonly from: number
  until: number
}

/** One look at a process. */
export interface Sample {
  readonly at: number
  readonly process: string
  readonly rssMib: number
  readonly descriptors: number
}

/** What the heap of a process holds after its garbage was collected, under no other load than the run's own pauses. */
export interface Settled {
  readonly at: number
  readonly process: string
  readonly heapMib: number
  readonly rssMib: number
  readonly descriptors: number
}

/** What a client knows of a thing that it made or removed: `unknown` when an answer never came or was a failure. */
export type Knowledge = "there" | "gone" | "unknown"

export interface Thing {
  readonly kind: string
  readonly id: string
  readonly tenant: string
  known: Knowledge
}

/** What one event stream of a tenant brought, over all its connections. */
export interface Tail {
  readonly tenant: string
  readonly projectId: string
  readonly ids: Array<string>
}

/** Everything that is noted while the load runs. */
export class Evidence {
  readonly calls: Array<Call> = []
  readonly received: Array<Received> = []
  readonly processes: Array<ProcessLife> = []
  readonly disturbances: Array<Disturbance> = []
  readonly samples: Array<Sample> = []
  readonly settled: Array<Settled> = []
  readonly tails: Array<Tail> = []
  readonly things = new Map<string, Thing>()
  /** Cores, and so on, that were granted when it was looked: by dimension, with what may be sold. */
  readonly granted: Array<{ readonly at: number; readonly cores: number; readonly limit: number }> = []
  /** Lines of the gateways' logs that no run should have. */
  readonly complaints: Array<string> = []
  readonly #begun = performance.now()

  now(): number {
    return performance.now() - this.#begun
  }

  knows(kind: string, id: string, tenant: string, known: Knowledge): void {
    const thing = this.things.get(`${kind} ${id}`)
    if (thing === undefined) this.things.set(`${kind} ${id}`, { kind, id, tenant, known })
    else thing.known = known
  }

  /** Notes a disturbance; the answer ends it. */
  disturb(kind: string, what: string): () => void {
    const noted: Disturbance = { kind, what, from: this.now(), until: Number.POSITIVE_INFINITY }
    this.disturbances.push(noted)
    return () => {
      noted.until = this.now()
    }
  }
}
