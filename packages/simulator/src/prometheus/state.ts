/** What runs the platform's servers; Nova's hypervisors. */
export interface Node {
  readonly name: string
  readonly vcpus: number
  readonly memory_mb: number
  readonly disk_gb: number
  up: boolean
}

/** What somebody who tests wants measured: these values in place of the usual ones, or none. */
export interface Reading {
  /** The series' name: `portico:instance_cpu:percent`. */
  readonly metric: string
  /** Of the series' labels, those that have to be like this. */
  readonly labels: Readonly<Record<string, string>>
  /** Milliseconds since the epoch: from that moment, and before the other one; always and for ever without. */
  readonly from?: number
  readonly until?: number
  /** Null for nothing measured. */
  readonly value: number | "NaN" | "+Inf" | null
}

export interface MonitoringState {
  readonly nodes: Record<string, Node>
  /** Which part of each service works, from 0 to 1. */
  readonly services: Record<string, number>
  /** Under any keys; of several that fit, the last one counts. */
  readonly readings: Record<string, Reading>
}

const node = (name: string): Node => ({ name, vcpus: 64, memory_mb: 262_144, disk_gb: 2_000, up: true })

export const monitoring = (): MonitoringState => ({
  nodes: { "compute-1": node("compute-1"), "compute-2": node("compute-2"), "compute-3": node("compute-3") },
  services: { compute: 1, storage: 1, network: 1, "object-storage": 1, databases: 1 },
  readings: {}
})
