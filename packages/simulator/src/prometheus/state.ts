/** A hypervisor of the platform, as Nova's. */
export interface Node {
  readonly name: string
  readonly vcpus: number
  readonly memory_mb: number
  readonly disk_gb: number
  up: boolean
}

/** An override for tests: these values instead of the simulated ones, or none. */
export interface Reading {
  /** The metric name: `portico:instance_cpu:percent`. */
  readonly metric: string
  /** The labels that a series must have. */
  readonly labels: Readonly<Record<string, string>>
  /** Milliseconds since the epoch, half-open; without them the override is unlimited. */
  readonly from?: number
  readonly until?: number
  /** Null removes the samples. */
  readonly value: number | "NaN" | "+Inf" | null
}

export interface MonitoringState {
  readonly nodes: Record<string, Node>
  /** The healthy share of each service, from 0 to 1. */
  readonly services: Record<string, number>
  /** Under any keys; the last matching override wins. */
  readonly readings: Record<string, Reading>
}

const node = (name: string): Node => ({ name, vcpus: 64, memory_mb: 262_144, disk_gb: 2_000, up: true })

export const monitoring = (): MonitoringState => ({
  nodes: { "compute-1": node("compute-1"), "compute-2": node("compute-2"), "compute-3": node("compute-3") },
  services: { compute: 1, storage: 1, network: 1, "object-storage": 1, databases: 1 },
  readings: {}
})
